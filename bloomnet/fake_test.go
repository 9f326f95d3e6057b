package bloomnet_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

const shards = 8

var hasher = bloom.NewHasher(1)

// shardOf spreads names over the shards, as a route would.
func shardOf(name string) int { return int(name[len(name)-1]) % shards }

// fakeDatabase is a database that a test changes at will.
type fakeDatabase struct {
	name string

	mu      sync.Mutex
	source  string
	events  []shard.Event
	rows    map[string]bool // whether a name is reserved
	owned   []uint64
	builds  []uint64
	copies  int
	failure error
}

func newFakeDatabase(name string) *fakeDatabase {
	d := &fakeDatabase{name: name, source: name + "/1", rows: map[string]bool{}, owned: make([]uint64, shards), builds: make([]uint64, shards)}
	for i := range d.owned {
		d.owned[i] = 1
	}
	return d
}

func (d *fakeDatabase) Name() string { return d.name }

func (d *fakeDatabase) Identity(source string) string { return strings.TrimRight(source, "'") }

func (d *fakeDatabase) position() shard.Position {
	return shard.Position{Source: d.source, At: uint64(len(d.events)), Token: fmt.Sprint(len(d.events))}
}

func (d *fakeDatabase) Begin(context.Context) (shard.Position, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.position(), d.failure
}

func (d *fakeDatabase) Poll(_ context.Context, from shard.Position) (shard.Poll, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return shard.Poll{}, d.failure
	}
	if from.Source != d.source {
		return shard.Poll{}, bloomnet.ErrVoid
	}
	return shard.Poll{
		From: from, To: d.position(), Sent: now(), Owned: append([]uint64(nil), d.owned...),
		Events: append([]shard.Event(nil), d.events[from.At:]...),
	}, nil
}

func (d *fakeDatabase) Copy(_ context.Context, list []int, add func(bloomnet.Row)) (bloomnet.Copied, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return bloomnet.Copied{}, d.failure
	}
	d.copies++
	copied := bloomnet.Copied{At: d.position(), Epochs: map[int]uint64{}}
	for _, number := range list {
		copied.Epochs[number] = d.owned[number]
	}
	for name, reserved := range d.rows {
		if _, asked := copied.Epochs[shardOf(name)]; asked {
			add(bloomnet.Row{Shard: shardOf(name), Hash: hasher.Sum(name), Reserved: reserved})
		}
	}
	return copied, nil
}

func (d *fakeDatabase) NextBuilds(_ context.Context, list []int) (map[int]bloomnet.Build, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	builds := map[int]bloomnet.Build{}
	for _, number := range list {
		if d.owned[number] > 0 {
			d.builds[number]++
			builds[number] = bloomnet.Build{Epoch: d.owned[number], Number: d.builds[number]}
		}
	}
	return builds, d.failure
}

// put commits a name.
func (d *fakeDatabase) put(reserved bool, names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		change := shard.Came
		if _, there := d.rows[name]; there {
			change = shard.Altered
		}
		d.rows[name] = reserved
		d.events = append(d.events, shard.Event{
			Shard: shardOf(name), Epoch: d.owned[shardOf(name)], Hash: hasher.Sum(name), Change: change, Reserved: reserved,
		})
	}
}

// plant puts a row of which the feed does not tell.
func (d *fakeDatabase) plant(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[name] = false
}

// restore is a failover: positions of before are void.
func (d *fakeDatabase) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.source += "'"
}

// remove commits that a name goes.
func (d *fakeDatabase) remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, name)
	d.events = append(d.events, shard.Event{Shard: shardOf(name), Epoch: d.owned[shardOf(name)], Hash: hasher.Sum(name), Change: shard.Went})
}

// own has the database own all shards at an epoch, or none at 0.
func (d *fakeDatabase) own(epoch uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.owned {
		d.owned[i] = epoch
	}
}

// fail has every call fail; nil ends that.
func (d *fakeDatabase) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = err
}

func (d *fakeDatabase) counts() (copies int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.copies
}

func (d *fakeDatabase) buildOf(number int) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.builds[number]
}

// discard is for replicas whose log nobody reads.
var discard = slog.New(slog.DiscardHandler)

var errAway = errors.New("the database is away")

func now() shard.Instant {
	t := time.Now()
	return shard.Instant{Boot: time.Duration(t.UnixNano()), Wall: t.UTC().Round(0)}
}

const (
	staleness   = 5 * time.Second
	verifyEvery = time.Hour
)

// start starts a replica that stands alone.
func start(t *testing.T, sources ...bloomnet.Source) *bloomnet.Net {
	t.Helper()
	return startIn(t, nil, nil, discard, fingerprint, sources...)
}

// startIn starts a replica of a fleet, which hears of some topics, and logs.
func startIn(t *testing.T, fleet *bloomnet.FleetOptions, topics map[uint8]func([]byte), log *slog.Logger, fingerprint [8]byte, sources ...bloomnet.Source) *bloomnet.Net {
	t.Helper()
	n, err := bloomnet.Start(t.Context(), bloomnet.Options{
		Shards: shards, Sources: sources, Staleness: staleness, VerifyEvery: verifyEvery, Clock: now, Random: func() float64 { return 0.5 },
		Fingerprint: fingerprint, Fleet: fleet, Topics: topics, Logger: log,
	})
	require.NoError(t, err)
	t.Cleanup(func() { stop(n) })
	return n
}

func stop(n *bloomnet.Net) { n.Close(context.Background()) }

// standing is what a replica says of a name.
func standing(n *bloomnet.Net, name string) shard.Standing {
	s, _ := n.Check(shardOf(name), hasher.Sum(name))
	return s
}
