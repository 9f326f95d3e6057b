package rediscache_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

const (
	stormStaleness = time.Second
	// takenLag is the longest that a name is called taken which is not: until a change is
	// polled, or the generation is known to be another one, on a busy machine.
	takenLag = 5 * time.Second
)

// names are so few that they are asked for while they change.
const names = 8

var changes = [...]feed.Change{feed.Came, feed.Went}

func anyName() identifier.Identifier { return name(fmt.Sprint("name", rand.IntN(names))) }

// storm lets names come and go, and others ask for them, while fault does its worst, and
// judges every answer by the truth of the time. No caller may see an error.
func storm(t *testing.T, url string, fault func()) (*rediscache.Cache, *database) {
	t.Helper()
	d, o := newDatabase("a"), options(t, url)
	o.Staleness, o.Timeout = stormStaleness, 20*time.Millisecond
	caches := []*rediscache.Cache{open(t, o), open(t, o)}
	for _, c := range caches {
		follow(t, c, d)
	}
	requireLive(t, caches...)
	ended := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { loop(ended, func() { d.change(anyName(), changes[rand.IntN(2)]) }) })
	for i := range 6 {
		all.Go(func() { loop(ended, func() { judge(t, caches[i%2], d) }) })
	}
	fault()
	close(ended)
	all.Wait()
	requireLive(t, caches...)
	settled(t, caches[0], d)
	return caches[0], d
}

func loop(ended <-chan struct{}, step func()) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(rand.IntN(5)) * time.Millisecond):
			step()
		}
	}
}

// judge asks for a name, by a read that may take its time.
func judge(t *testing.T, c *rediscache.Cache, d *database) {
	id, asked := anyName(), time.Now()
	s, fromRedis, err := c.Lookup(context.Background(), id, func(context.Context) (storage.Standing, error) {
		s := d.standing(id)
		<-time.After(time.Duration(rand.IntN(30)) * time.Millisecond)
		return s, nil
	})
	bound := takenLag
	if s.Held == nil {
		bound = stormStaleness
	}
	if err != nil || fromRedis && !d.was(id, s.Held != nil, asked.Add(-bound), time.Now()) {
		t.Errorf("%s: held %t, from Redis %t, %v; but it was not so for %v", id.Key(), s.Held != nil, fromRedis, err, bound)
	}
}

// settled asks until every name is answered by Redis, and as it is.
func settled(t *testing.T, c *rediscache.Cache, d *database) {
	t.Helper()
	for i := range names {
		id := name(fmt.Sprint("name", i))
		d.take(id)
		eventually(t, func() bool {
			held, fromRedis := lookup(t, c, d, id)
			return held && fromRedis
		}, "a taken name comes of Redis")
	}
}

func TestFlushes(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	c, _ := storm(t, s.URL(), func() {
		for i := range 60 {
			s.Do(t, "FLUSHALL")
			<-time.After([...]time.Duration{2, 5, 20, 200, 800}[i%5] * time.Millisecond)
		}
	})
	require.Positive(t, c.Counters.Hits.Load())
}

func TestCrashes(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	c, _ := storm(t, s.URL(), func() {
		for range 3 {
			s.Kill(t)
			<-time.After(300 * time.Millisecond)
			s.Start(t)
			<-time.After(time.Second)
		}
	})
	require.Positive(t, c.Counters.Opens.Load())
}

func TestHangs(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	c, _ := storm(t, s.URL(), func() {
		for i := range 3 {
			s.Pause(t)
			<-time.After(time.Duration(i) * 700 * time.Millisecond)
			s.Resume(t)
			<-time.After(time.Second)
		}
	})
	require.Positive(t, c.Counters.Opens.Load())
}

func TestReadOnlyAndFull(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	storm(t, s.URL(), func() {
		s.Do(t, "REPLICAOF", "127.0.0.1", "1")
		<-time.After(time.Second)
		s.Do(t, "REPLICAOF", "NO", "ONE")
		<-time.After(time.Second)
		s.Do(t, "CONFIG", "SET", "maxmemory", "1")
		<-time.After(time.Second)
		s.Do(t, "CONFIG", "SET", "maxmemory", "0")
	})
}
