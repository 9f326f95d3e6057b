package bloom_test

import (
	"fmt"
	"testing"

	"namegate/bloomnet/bloom"
)

// shardNames is one of 1024 shards of 1e9 names. Look-ups at full size are measured by
// test/bench-billion.
const shardNames = 1_000_000

func BenchmarkSum(b *testing.B) {
	for _, length := range []int{3, 8, 14, 30, 64} {
		name := fmt.Sprintf("%064d", 0)[:length]
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			hasher := bloom.NewHasher(1)
			for b.Loop() {
				hasher.Sum(name)
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	f, list := bloom.New(shardNames), draw(1, shardNames)
	for i := 0; b.Loop(); i++ {
		f.Add(list[i%shardNames])
	}
}

func BenchmarkHas(b *testing.B) {
	f, list := filled(shardNames, draw(1, shardNames)), draw(2, shardNames)
	for i := 0; b.Loop(); i++ {
		f.Has(list[i%shardNames])
	}
}

func BenchmarkAppendBinary(b *testing.B) {
	f := filled(shardNames, draw(1, shardNames))
	buffer := encoded(b, f)
	b.SetBytes(int64(len(buffer)))
	for b.Loop() {
		buffer, _ = f.AppendBinary(buffer[:0])
	}
}

func BenchmarkUnmarshalBinary(b *testing.B) {
	encoding := encoded(b, filled(shardNames, draw(1, shardNames)))
	b.SetBytes(int64(len(encoding)))
	for b.Loop() {
		if err := new(bloom.Filter).UnmarshalBinary(encoding); err != nil {
			b.Fatal(err)
		}
	}
}
