package hotname_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// full is a list of so many names, and their messages.
func full(tb testing.TB, count int) (fixed, [][]byte) {
	tb.Helper()
	o := options()
	o.Entries = count
	l := newFixed(tb, o)
	var messages [][]byte
	for i := range count {
		key := fmt.Sprint("name", i)
		messages = append(messages, l.Encode(held(key, 5), time.Duration(1+i%50)*time.Second))
	}
	return l, messages
}

// It is not parallel, as what others allocate would count.
func TestChecksAllocateNothing(t *testing.T) {
	l := newFixed(t, options())
	l.read("ada", held("ada", 5))
	ada, bob, s := name("ada"), name("bob"), held("ada", 5)
	l.saw("ada", threshold)
	for title, f := range map[string]func(){
		"hit": func() { l.Get(ada) }, "miss": func() { l.Get(bob) }, "blocked": func() { l.Blocked(ada) },
		"hot": func() { l.Saw(ada, s) },
		"cold": func() {
			l.Saw(bob, s)
			l.Turn()
		},
	} {
		require.Zero(t, testing.AllocsPerRun(100, f), title)
	}
}

// BenchmarkGet asks a full list, from all cores, for names that it has and others.
func BenchmarkGet(b *testing.B) {
	l, messages := full(b, 100_000)
	for _, m := range messages {
		l.Receive(m)
	}
	for title, prefix := range map[string]string{"hit": "name", "miss": "other"} {
		b.Run(title, func(b *testing.B) {
			var ids [1024]identifier.Identifier
			for i := range ids {
				ids[i] = name(fmt.Sprint(prefix, i*97))
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for n := 0; pb.Next(); n++ {
					l.Get(ids[n%len(ids)])
				}
			})
		})
	}
}

// BenchmarkSaw counts, from all cores, one name that is hot, and many that are not.
func BenchmarkSaw(b *testing.B) {
	for title, count := range map[string]int{"hot": 1, "many": 1 << 12} {
		b.Run(title, func(b *testing.B) {
			o := options()
			if count > 1 {
				o.Threshold = hotname.MaxThreshold
			}
			l := newFixed(b, o)
			ids, s := make([]identifier.Identifier, count), held("ada", 5)
			for i := range ids {
				ids[i] = name(fmt.Sprint("name", i))
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for n := 0; pb.Next(); n++ {
					l.Saw(ids[n%len(ids)], s)
				}
			})
		})
	}
}

// BenchmarkMerge takes 100,000 entries from others into a list that has room for them.
func BenchmarkMerge(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		l, messages := full(b, 100_000)
		b.StartTimer()
		for _, m := range messages {
			l.Receive(m)
		}
		if l.Len() != len(messages) {
			b.Fatal(l.Len())
		}
	}
}

// BenchmarkRenew takes 100,000 newer entries into a list that has all of these names.
func BenchmarkRenew(b *testing.B) {
	l, messages := full(b, 100_000)
	for b.Loop() {
		l.pass(hotname.BeatInterval)
		for _, m := range messages {
			l.Receive(m)
		}
	}
}

// BenchmarkApply is told of 10,000 releases of names that are not listed, as by a sweep.
func BenchmarkApply(b *testing.B) {
	l, _ := full(b, 100_000)
	var events []feed.Event
	for i := range 10_000 {
		events = append(events, event(fmt.Sprint("other", i), feed.Went, int64(i+1)))
	}
	for b.Loop() {
		l.Apply(events)
	}
}
