package cache_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage/feed"
)

var (
	modelRuns = flag.Int("cache.runs", 50, "random sequences of TestTheCacheIsNeverOlderThanItMayBe")
	modelSeed = flag.Uint64("cache.seed", 0, "seed of the first of them; 0 draws one")
)

// modelNames are asked for. The cache has room for half of them.
var modelNames = []string{"ada", "bob", "cyd", "dee", "eve", "fay"}

// modelSteps are how many things happen in a sequence.
const modelSteps = 250

// Whatever the order of reads, changes, news of them, pauses and evictions: what the cache
// answers was read since the last change that it was told of, and within its time.
func TestTheCacheIsNeverOlderThanItMayBe(t *testing.T) {
	t.Parallel()
	seed := *modelSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	var all tally
	for n := range *modelRuns {
		one := seed + uint64(n)
		synctest.Test(t, func(t *testing.T) {
			s := &sequence{model: newModel(t, rand.New(rand.NewPCG(one, 0)))}
			s.run(t)
			all.add(s.tally)
		})
		require.False(t, t.Failed(), "-cache.seed=%d -cache.runs=1 runs it again", one)
	}
	t.Logf("%+v, from -cache.seed=%d on", all, seed)
	require.NotContains(t, []int{all.Free, all.Held, all.Late, all.Joined, all.Dropped}, 0, "else something is not tested")
}

// tally is what has happened.
type tally struct {
	Free, Held      int // answers from memory
	Late            int // of calls that found in memory what they were about to read
	Joined, Dropped int // calls and reads
}

func (t *tally) add(o tally) {
	t.Free, t.Held, t.Late, t.Joined, t.Dropped = t.Free+o.Free, t.Held+o.Held, t.Late+o.Late, t.Joined+o.Joined, t.Dropped+o.Dropped
}

// sequence is one run of a cache above a model.
type sequence struct {
	*model
	tally   tally
	callers sync.WaitGroup
}

func (s *sequence) run(t *testing.T) {
	for s.step = 1; s.step < modelSteps && !t.Failed(); s.step++ {
		s.act(t, modelNames[s.random.IntN(len(modelNames))])
		synctest.Wait()
		for _, key := range modelNames {
			s.judgeMemory(t, key)
		}
	}
	s.Close() // reads end by their time
	s.callers.Wait()
	s.tally.Joined, s.tally.Dropped = int(s.Counters.Joined.Load())-s.tally.Late, int(s.Counters.Dropped.Load())
}

// act has one thing happen.
func (s *sequence) act(t *testing.T, key string) {
	switch dice := s.random.IntN(20); {
	case dice < 7:
		s.ask(t, key)
	case dice < 13:
		s.finish()
	case dice < 15:
		s.change(key)
	case dice < 16:
		s.Expect(name(key))
		s.tell(key)
	case dice < 17:
		s.Apply([]feed.Event{event(key, feed.Changed), event(modelNames[0], feed.Went), event(key, feed.Came)})
		s.tell(key, modelNames[0])
	case dice < 18 && s.random.IntN(4) == 0:
		s.Forget()
		s.tell(modelNames...)
	default:
		time.Sleep(s.upTo(ttl))
	}
}

// finish finishes a read that is under way.
func (s *sequence) finish() {
	list := s.pending()
	if len(list) == 0 {
		return
	}
	var err error
	if s.random.IntN(10) == 0 {
		err = errRead
	}
	list[s.random.IntN(len(list))].finish <- err
}

// ask has a caller ask, who may leave.
func (s *sequence) ask(t *testing.T, key string) {
	told, asked, at := s.toldOf(key), s.step, time.Now()
	patience := s.upTo(4 * staleness)
	s.callers.Go(func() {
		ctx, leave := context.WithTimeout(t.Context(), patience)
		defer leave()
		f, err := s.Lookup(ctx, name(key))
		if err != nil {
			return
		}
		explains := readFor(told, asked, at)
		if f.Layer == registry.LayerLocalCache {
			s.tally.Late++
			explains = remembered(told, at)
		}
		if !s.explained(key, f.Standing, explains) {
			t.Errorf("step %d: who asked for %s at step %d, %s, got %+v", s.step, key, asked, at, f)
		}
	})
}

// judgeMemory judges what is remembered of a name.
func (s *sequence) judgeMemory(t *testing.T, key string) {
	got, known := s.Get(name(key))
	switch {
	case !known:
		return
	case got.Held == nil:
		s.tally.Free++
	default:
		s.tally.Held++
	}
	if !s.explained(key, got, remembered(s.toldOf(key), time.Now())) {
		t.Errorf("step %d: %s is remembered as %+v at %s", s.step, key, got, time.Now())
	}
}
