package hotname_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/feed"
)

// sent is what a replica has broadcast.
type sent struct {
	mu       sync.Mutex
	keys     []string
	payloads [][]byte
	at       []time.Duration
	err      error
}

// running is a list that runs, by the clock of package time.
type running struct {
	*hotname.List
	*world
	*sent
	begun time.Time
}

func newRunning(t *testing.T, change func(*hotname.Options)) running {
	t.Helper()
	r := running{world: newWorld(), sent: &sent{}, begun: time.Now()}
	o := options()
	o.Store, o.Random = r.world, rand.New(rand.NewPCG(1, 1)).Float64
	o.Clock = func() time.Duration { return time.Since(r.begun) }
	o.Broadcast = r.broadcast
	if change != nil {
		change(&o)
	}
	var err error
	r.List, err = hotname.New(o)
	require.NoError(t, err)
	return r
}

// told is all that was sent so far.
func (r running) told() (keys []string, payloads [][]byte, at []time.Duration) {
	r.sent.mu.Lock()
	defer r.sent.mu.Unlock()
	return slices.Clone(r.keys), slices.Clone(r.payloads), slices.Clone(r.at)
}

func (r running) broadcast(key string, payload []byte) error {
	r.sent.mu.Lock()
	defer r.sent.mu.Unlock()
	r.keys, r.payloads, r.at = append(r.keys, key), append(r.payloads, payload), append(r.at, time.Since(r.begun))
	return r.sent.err
}

// run runs the list until the test is over.
func (r running) run(t *testing.T) running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { r.Run(ctx) })
	t.Cleanup(func() {
		stop()
		run.Wait()
	})
	return r
}

// ask gives so many answers about a name, as whoever asked for it would see them.
func (r running) ask(key string, times int) (listed bool) {
	s, listed := r.Get(name(key))
	if !listed {
		r.world.mu.Lock()
		s = r.rows[key]
		r.world.mu.Unlock()
	}
	for range times {
		r.Saw(name(key), s)
	}
	return listed
}

// In a bubble, sleep is the passing of its own time.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// A hot name is read once and told three times; then it is answered for without reads.
func TestAHotNameIsListedAndTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil).run(t)
		r.put("ada", held("ada", 5))
		r.ask("ada", threshold)
		r.ask("bob", 10*threshold) // nobody has it
		pass(hotname.FirstDelay + 2*hotname.BeatInterval)
		got, ok := r.Get(name("ada"))
		require.True(t, ok)
		require.Equal(t, held("ada", 5), got)
		pass(5 * time.Second)
		require.Equal(t, 1, r.count())
		require.EqualValues(t, 1, r.Counters.Reads.Load())
		keys, payloads, at := r.told()
		require.Len(t, payloads, 3)
		require.EqualValues(t, 3, r.Counters.Announced.Load())
		require.Equal(t, 500*time.Millisecond, at[1]-at[0])
		require.Equal(t, 3*time.Second, at[2]-at[1])
		require.Equal(t, keys[0], keys[1])
		require.NotEqual(t, payloads[0], payloads[1], "less life is left")
		require.LessOrEqual(t, len(keys[0]), 32)
	})
}

// While a name is hot it stays on the list, and costs a read in 40 to 60 s; its answers
// from the list keep it there. When it is not hot any more, its end comes.
func TestAHotNameIsReadAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil).run(t)
		r.put("ada", held("ada", 5))
		r.ask("ada", threshold)
		pass(time.Second)
		for range 600 {
			require.True(t, r.ask("ada", threshold))
			pass(time.Second)
		}
		require.GreaterOrEqual(t, r.count(), 10)
		require.LessOrEqual(t, r.count(), 16)
		require.Zero(t, r.Counters.Expired.Load())
		pass(time.Minute)
		require.Zero(t, r.Len())
		require.EqualValues(t, 1, r.Counters.Expired.Load())
	})
}

// Another read would make no reservation longer, so none is sent before its end.
func TestWhatEndsByItselfIsNotReadAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil).run(t)
		r.put("ada", until("ada", 5, 30*time.Second))
		r.ask("ada", threshold)
		pass(time.Second)
		for range 28 {
			require.True(t, r.ask("ada", threshold))
			pass(time.Second)
		}
		require.Equal(t, 1, r.count())
		r.put("ada", storage.Standing{})
		pass(2 * time.Second)
		require.False(t, r.ask("ada", threshold))
	})
}

// Who hears of another's entry while it waits reads nothing.
func TestOneReadsForAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, func(o *hotname.Options) { o.Random = func() float64 { return 0.9 } }).run(t)
		r.put("ada", held("ada", 5))
		r.ask("ada", threshold)
		pass(200 * time.Millisecond)
		require.Zero(t, r.count())
		r.Receive(r.Encode(held("ada", 5), 55*time.Second))
		pass(time.Second)
		r.ask("ada", threshold)
		pass(10 * time.Second)
		require.Zero(t, r.count())
		require.True(t, r.ask("ada", 1))
		_, payloads, _ := r.told()
		require.Empty(t, payloads, "nor does it tell what it was told")
	})
}

// A read that fails is tried again while the name is hot.
func TestAReadThatFailsIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil).run(t)
		r.put("ada", held("ada", 5))
		r.world.err = errAway
		for range 5 {
			r.ask("ada", threshold)
			pass(time.Second)
		}
		require.EqualValues(t, 5, r.Counters.Failed.Load())
		r.world.mu.Lock()
		r.world.err = nil
		r.world.mu.Unlock()
		r.ask("ada", threshold)
		pass(time.Second)
		require.True(t, r.ask("ada", 1))
	})
}

// A read has its time, also when nobody answers, and Run waits for it.
func TestAReadThatHangsEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil)
		r.put("ada", held("ada", 5))
		r.takes, r.stays = time.Hour, 100*time.Millisecond
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan time.Duration)
		go func() {
			r.Run(ctx)
			ended <- time.Since(r.begun)
		}()
		for range 4 {
			r.ask("ada", threshold)
			pass(time.Second)
		}
		require.EqualValues(t, 1, r.Counters.Reads.Load(), "one at a time")
		pass(hotname.ReadTimeout - 3*time.Second)
		require.EqualValues(t, 1, r.Counters.Failed.Load())
		r.ask("ada", threshold)
		pass(time.Second)
		require.EqualValues(t, 2, r.Counters.Reads.Load())
		stop()
		require.Equal(t, hotname.ReadTimeout+2*time.Second+r.stays, <-ended)
		require.EqualValues(t, 2, r.Counters.Failed.Load(), "it has ended")
	})
}

// However many names are hot, few are read at once, and few wait.
func TestReadsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, func(o *hotname.Options) { o.Entries = 10_000 }).run(t)
		r.takes = 70 * time.Millisecond
		for i := range hotname.MaxPlans + 100 {
			key := fmt.Sprint("name", i)
			r.put(key, held(key, 5))
			r.ask(key, threshold)
			if i%500 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		require.Equal(t, r.Counters.Hot.Load()-hotname.MaxPlans, r.Counters.Overrun.Load())
		require.InDelta(t, 100, r.Counters.Overrun.Load(), 20)
		pass(time.Minute)
		require.Equal(t, hotname.MaxPlans, r.count())
		require.Equal(t, hotname.MaxReads, r.atOnce())
	})
}

// What cannot be sent is counted, and nothing else.
func TestWhatCannotBeSentIsCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, func(o *hotname.Options) { o.Entries = 2 * hotname.MaxNews })
		r.sent.err = errors.New("full")
		for i := range hotname.MaxNews + 10 {
			key := fmt.Sprint("name", i)
			r.Receive(r.Encode(held(key, 1), 50*time.Second))
			r.Apply([]feed.Event{event(key, feed.Went, 2)})
		}
		require.EqualValues(t, hotname.MaxNews+10-hotname.MaxSent, r.Counters.Unsent.Load())
		r.run(t)
		synctest.Wait()
		require.EqualValues(t, hotname.MaxNews+10, r.Counters.Unsent.Load())
		pass(time.Minute)
		require.EqualValues(t, 3*hotname.MaxNews+10, r.Counters.Unsent.Load(), "the last ten are not told of again")
		require.Zero(t, r.Counters.Announced.Load())
	})
}

// Others are told of a release at once, and again, and no more of the entry.
func TestAReleaseIsToldAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRunning(t, nil).run(t)
		r.put("ada", held("ada", 5))
		r.ask("ada", threshold)
		pass(time.Second)
		_, before, _ := r.told()
		r.Apply([]feed.Event{event("ada", feed.Went, 6), event("ada", feed.Went, 6)})
		synctest.Wait()
		_, payloads, _ := r.told()
		require.Len(t, payloads, len(before)+1)
		pass(time.Minute)
		keys, payloads, _ := r.told()
		require.Len(t, payloads, len(before)+3)
		for i := len(before); i < len(payloads); i++ {
			require.Equal(t, hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 6}), payloads[i])
			require.Equal(t, keys[0], keys[i], "it takes the place of the entry")
		}
	})
}
