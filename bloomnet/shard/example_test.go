package shard_test

import (
	"fmt"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// A replica that reads one database, which has one shard, and takes an image of it.
func Example() {
	clock := func() shard.Instant { return shard.Instant{Boot: time.Minute} }
	core := shard.New(shard.Options{
		Shards: 1, Databases: 1, Bound: 5 * time.Second, Clock: clock, Hints: shard.NewHints(1000),
	})
	hasher := bloom.NewHasher(42)

	at := shard.Position{Source: "db/1", At: 100}
	core.Begin(0, at)
	poll := shard.Poll{From: at, To: at, Sent: clock(), Owned: []uint64{1}}
	fmt.Println(core.Polled(0, poll))

	base := bloom.New(1000)
	base.Add(hasher.Sum("ada"))
	fmt.Println(core.Install(0, shard.Built(shard.Head{Epoch: 1, Build: 1, At: at}, base, 1, nil)))
	fmt.Println(core.Polled(0, poll))

	for _, name := range []string{"ada", "bob"} {
		standing, _ := core.View().Check(0, hasher.Sum(name))
		fmt.Println(name, standing == shard.Free)
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// ada false
	// bob true
}
