package hotname_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/identifier"
)

// saw tells of so many answers.
func (f fixed) saw(key string, times int) {
	for range times {
		f.Saw(name(key), held(key, 1))
	}
}

// A name is hot when it reaches the threshold within a second, once in each.
func TestANameGetsHot(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for range 3 {
		l.saw("ada", threshold-1)
		require.Zero(t, l.Counters.Hot.Load())
		l.Turn()
	}
	for second := range 3 {
		l.saw("ada", threshold-1)
		require.EqualValues(t, second, l.Counters.Hot.Load())
		l.saw("ada", 1)
		require.EqualValues(t, second+1, l.Counters.Hot.Load())
		l.saw("ada", 1000)
		require.EqualValues(t, second+1, l.Counters.Hot.Load())
		l.Turn()
	}
	require.Equal(t, 3, l.Waiting())
	l.saw("bob", threshold-1)
	require.EqualValues(t, 3, l.Counters.Hot.Load())
}

func TestOnlyTakenUsernamesGetHot(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for range 2 * threshold {
		l.Saw(name("ada"), storage.Standing{})
		l.Saw(identifier.Stored(identifier.Email, "bob", "", ""), held("bob", 1))
	}
	require.Zero(t, l.Counters.Hot.Load())
}

// The highest threshold, and one answer, can be counted.
func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, hotname.MaxThreshold} {
		o := options()
		o.Threshold = at
		l := newFixed(t, o)
		for range 2 {
			before := l.Counters.Hot.Load()
			l.saw("ada", at-1)
			require.Equal(t, before, l.Counters.Hot.Load())
			l.saw("ada", at+2)
			require.Equal(t, before+1, l.Counters.Hot.Load())
			l.Turn()
		}
	}
}

// A hundred thousand answers a second of as many names make none of them hot.
func TestManyNamesMakeNoneHot(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for i := range 100_000 {
		l.saw(fmt.Sprint("name", i), 1)
	}
	require.Zero(t, l.Counters.Hot.Load())
}

// What was counted in other seconds is no part of it.
func TestSecondsDoNotAddUp(t *testing.T) {
	t.Parallel()
	o := options()
	o.Threshold = 4
	l := newFixed(t, o)
	for second := range 10 {
		for i := range 20_000 {
			l.saw(fmt.Sprint("name", i*10+second), 1)
		}
		l.Turn()
	}
	require.Less(t, l.Counters.Hot.Load(), uint64(10), "thousands, if they did")
}

// What is counted of others takes nothing away. Few names are beside one that has all of
// their cells, which is then found in their place.
func TestNamesHideNoOthers(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	all := keys(20)
	for _, key := range all {
		l.saw(key, threshold-1)
	}
	for i := range 100_000 {
		l.saw(fmt.Sprint("other", i), 1)
	}
	hot := 0
	for _, key := range all {
		if l.Count(key) {
			hot++
		}
	}
	require.Greater(t, hot, 15)
}

// Counts that meet may be lost, not more.
func TestAllMayCountAtOnce(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { l.saw("ada", 10*threshold) })
	}
	all.Wait()
	require.Positive(t, l.Counters.Hot.Load())
	require.LessOrEqual(t, l.Counters.Hot.Load(), uint64(8))
}

// hidden are names that do not get hot though they ought to, for others that are.
func (f fixed) hidden(all []string) map[string]bool {
	hidden := map[string]bool{}
	for _, key := range all {
		hot := false
		for range threshold {
			hot = f.Count(key) || hot
		}
		if !hot {
			hidden[key] = true
		}
	}
	f.Turn()
	return hidden
}

// Of ten thousand names that are hot at the same time some hide others, but not the same
// ones in each second.
func TestNoNameIsHiddenForLong(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	all := keys(10_000)
	first, second, third := l.hidden(all), l.hidden(all), l.hidden(all)
	require.NotEmpty(t, first, "else nothing is tested")
	require.Less(t, len(first), 100)
	for key := range first {
		require.False(t, second[key] && third[key], key)
	}
}

// Whom nobody looks at is counted, and nothing waits.
func TestHotNamesWaitInBounds(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for i := range hotname.MaxHot + 50 {
		l.saw(fmt.Sprint("name", i), threshold)
	}
	require.Equal(t, l.Counters.Hot.Load()-hotname.MaxHot, l.Counters.Overrun.Load())
	require.InDelta(t, 50, l.Counters.Overrun.Load(), 20)
}
