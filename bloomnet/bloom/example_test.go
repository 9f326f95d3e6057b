package bloom_test

import (
	"fmt"

	"namegate/bloomnet/bloom"
)

func Example() {
	hasher := bloom.NewHasher(42)
	f := bloom.New(1000)
	f.Add(hasher.Sum("ada"))
	fmt.Println(f.Has(hasher.Sum("ada")), f.Has(hasher.Sum("grace")))
	// Output: true false
}
