package hotname_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/feed"
)

// mergedNames are few, so that what is told meets.
var mergedNames = keys(4)

// anything is a random entry or release of one of the names. What it says depends on the
// version alone, as it does in a database.
func anything(l fixed, random *rand.Rand) []byte {
	key := mergedNames[random.IntN(len(mergedNames))]
	v := storage.Version{Epoch: 1 + random.Int64N(2), ID: 1 + random.Int64N(20)}
	if v.ID%4 == 0 { // a release
		return hotname.EncodeRelease(key, v)
	}
	s := held(key, v.ID)
	s.Version, s.Held.State, s.Held.Blocked = v, storage.State(1+v.ID%3), v.ID%5 == 0
	left := time.Duration(1+random.IntN(50)) * time.Second
	s.AsOf = readAt.Add(left)
	return l.Encode(s, left)
}

// Lists that have heard the same know the same: in any order, any part of it again, by
// way of others, and with any part of it from a feed.
func TestMergingIsInAnyOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	a, b := newFixed(t, options()), newFixed(t, options())
	for range 1000 {
		a.outlive()
		b.outlive()
		var told [][]byte
		for range 1 + random.IntN(8) {
			told = append(told, anything(a, random))
		}
		for _, m := range told {
			a.Receive(m)
		}
		again := slices.Concat(told, told)
		random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		for _, m := range again {
			b.hear(m, random.IntN(2) == 0)
		}
		require.Equal(t, describe(a), describe(b), "%x", told)
	}
}

// describe is what a list has, without the addresses.
func describe(l fixed) (all []string) {
	begin := l.now
	for range 12 {
		for _, key := range mergedNames {
			s, ok := l.Get(name(key))
			text := fmt.Sprintln(key, ok, s.Version, s.AsOf)
			if ok {
				text += fmt.Sprintln(*s.Held)
			}
			all = append(all, text)
		}
		l.pass(5 * time.Second)
	}
	l.now = begin
	return all
}

// hear tells a list a message, of a release maybe by its own feed.
func (f fixed) hear(message []byte, byFeed bool) {
	key, s, _, err := hotname.Decode(message)
	if err == nil && s.Held == nil && byFeed {
		e := event(key, feed.Went, s.Version.ID)
		e.Epoch = s.Version.Epoch
		f.Apply([]feed.Event{e})
		return
	}
	f.Receive(message)
}

// Whatever is lost, no list shows what a release that it has heard of has ended, nor
// anything for longer than it was told.
func TestLossesMakeNothingStay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	l := newFixed(t, options())
	for range 1000 {
		l.outlive()
		over, ends := map[string]storage.Version{}, map[string]time.Duration{}
		for range 30 {
			m := anything(l, random)
			key, s, left, err := hotname.Decode(m)
			require.NoError(t, err)
			if s.Held == nil && s.Version.Compare(over[key]) > 0 {
				over[key] = s.Version
			}
			ends[key] = max(ends[key], l.now+left)
			l.hear(m, random.IntN(2) == 0)
			if random.IntN(4) == 0 {
				l.Apply([]feed.Event{event(key, feed.Changed, random.Int64N(20))})
			}
			l.pass(time.Duration(random.IntN(10)) * time.Second)
			for _, key := range mergedNames {
				if s, ok := l.Get(name(key)); ok {
					require.Positive(t, s.Version.Compare(over[key]))
					require.Less(t, l.now, ends[key])
				}
			}
		}
	}
}

// Of each rule the case that would be wrong without it.
func TestRulesOfMerging(t *testing.T) {
	t.Parallel()
	epoch := func(s storage.Standing, epoch int64) storage.Standing {
		s.Version.Epoch = epoch
		return s
	}
	for title, tc := range map[string]struct {
		hear func(l fixed)
		want int64 // the version listed
	}{
		"the newer version counts": {func(l fixed) {
			l.Receive(l.Encode(held("ada", 2), time.Second))
			l.Receive(l.Encode(held("ada", 1), 50*time.Second))
		}, 2},
		"epochs come first": {func(l fixed) {
			l.Receive(l.message(epoch(held("ada", 1), 2)))
			l.Receive(l.message(held("ada", 2)))
		}, 1},
		"a release ends what is older": {func(l fixed) {
			l.Receive(l.message(held("ada", 1)))
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 2}))
		}, 0},
		"and keeps it off": {func(l fixed) {
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 2}))
			l.Receive(l.message(held("ada", 1)))
		}, 0},
		"but not what is newer": {func(l fixed) {
			l.Receive(l.message(held("ada", 3)))
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 2}))
		}, 3},
		"nor what is of a later epoch": {func(l fixed) {
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 9}))
			l.Receive(l.message(epoch(held("ada", 1), 2)))
		}, 1},
		"an older release takes nothing from a newer one": {func(l fixed) {
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 5}))
			l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 2}))
			l.Receive(l.message(held("ada", 4)))
		}, 0},
		"of another name it is nothing": {func(l fixed) {
			l.Receive(l.message(held("ada", 1)))
			l.Receive(hotname.EncodeRelease("bob", storage.Version{Epoch: 1, ID: 2}))
		}, 1},
	} {
		l := newFixed(t, options())
		tc.hear(l)
		require.Equal(t, tc.want, l.version("ada"), title)
	}
}

// Of equal versions that counts which lasts longer, so a read that is told renews.
func TestANewerReadRenews(t *testing.T) {
	t.Parallel()
	for _, order := range [][]time.Duration{{10 * time.Second, 40 * time.Second}, {40 * time.Second, 10 * time.Second}} {
		l := newFixed(t, options())
		for _, left := range order {
			l.Receive(l.Encode(held("ada", 1), left))
		}
		l.pass(40*time.Second - 1)
		require.True(t, l.has("ada"))
		l.pass(1)
		require.False(t, l.has("ada"))
	}
}

// News are counted apart from what is known.
func TestWhatIsKnownIsNoNews(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for range 2 {
		l.Receive(l.message(held("ada", 1)))
	}
	for range 3 {
		l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 2}))
	}
	l.Receive(l.message(held("ada", 1)))
	require.EqualValues(t, 2, l.Counters.Received.Load())
	require.EqualValues(t, 4, l.Counters.Old.Load())
	require.EqualValues(t, 1, l.Counters.Released.Load())
}
