package shard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// The databases of a fixture.
const (
	dbA = iota
	dbB
	dbC
)

// fixture is one replica with one shard, driven by hand.
type fixture struct {
	t       *testing.T
	core    *shard.Core
	view    *shard.View
	hints   *shard.Hints
	boot    time.Duration
	wall    time.Time
	sources [3]string
}

// empty has read nothing.
func empty(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		t: t, hints: shard.NewHints(8), boot: time.Hour, wall: time.Unix(1e9, 0).UTC(), sources: [3]string{"A", "B", "C"},
	}
	f.core = shard.New(shard.Options{Shards: 1, Databases: 3, Bound: bound, Clock: f.clock, Hints: f.hints})
	f.view = f.core.View()
	return f
}

// atHome reads all databases from 10 on. A owns the shard at epoch 1 and vouches for it,
// with the names 0 to 9 in its base.
func atHome(t *testing.T) *fixture {
	t.Helper()
	f := empty(t)
	for db := range 3 {
		f.begin(db, 10)
	}
	f.poll(dbC, 10, 0)
	f.poll(dbB, 10, 0)
	f.poll(dbA, 10, 1)
	f.install(f.built(1, 1, dbA, 10))
	f.poll(dbA, 10, 1)
	f.is(shard.Maybe, 0)
	f.is(shard.Free, 10)
	return f
}

func (f *fixture) clock() shard.Instant { return shard.Instant{Boot: f.boot, Wall: f.wall} }

func (f *fixture) pass(d time.Duration) {
	f.boot += d
	f.wall = f.wall.Add(d)
}

func (f *fixture) at(db int, at uint64) shard.Position {
	return shard.Position{Source: f.sources[db], At: at, Token: fmt.Sprint("token ", at)}
}

func (f *fixture) begin(db int, at uint64) {
	f.pass(100 * time.Millisecond)
	f.core.Begin(db, f.at(db, at))
}

// send is a poll that was sent now, and will lead to a position.
func (f *fixture) send(db int, to, owned uint64, events ...shard.Event) shard.Poll {
	f.pass(100 * time.Millisecond)
	from, _ := f.core.Position(db)
	return shard.Poll{From: from, To: f.at(db, to), Sent: f.clock(), Owned: []uint64{owned}, Events: events}
}

// poll sends a poll and takes its answer.
func (f *fixture) poll(db int, to, owned uint64, events ...shard.Event) {
	f.t.Helper()
	require.NoError(f.t, f.core.Polled(db, f.send(db, to, owned, events...)))
}

func (f *fixture) install(m shard.Image) {
	f.t.Helper()
	require.NoError(f.t, f.core.Install(0, m))
}

func (f *fixture) image() shard.Image {
	f.t.Helper()
	m, err := f.core.Image(0)
	require.NoError(f.t, err)
	return m
}

// built has the names 0 to 9 in its base, and some that are reserved.
func (f *fixture) built(epoch, build uint64, db int, at uint64, reserved ...int) shard.Image {
	base := bloom.New(10)
	for i := range 10 {
		base.Add(named(i))
	}
	var recent []bloom.Hash
	for _, i := range reserved {
		recent = append(recent, named(i))
	}
	return shard.Built(shard.Head{Epoch: epoch, Build: build, Database: db, At: f.at(db, at)}, base, 10, recent)
}

func (f *fixture) is(want shard.Standing, name int) {
	f.t.Helper()
	standing, _ := f.view.Check(0, named(name))
	require.Equal(f.t, want, standing)
}

// missing says whether an image is wanted.
func (f *fixture) missing(db int) bool {
	list := f.core.Survey(db)
	return len(list) == 1 && list[0].Missing
}

func named(i int) bloom.Hash { return bloom.NewHasher(7).Sum(fmt.Sprint("name ", i)) }

func came(name int, epoch uint64) shard.Event {
	return shard.Event{Epoch: epoch, Hash: named(name), Change: shard.Came}
}

func reserved(name int, epoch uint64) shard.Event {
	return shard.Event{Epoch: epoch, Hash: named(name), Change: shard.Came, Reserved: true}
}

func altered(name int, epoch uint64) shard.Event {
	return shard.Event{Epoch: epoch, Hash: named(name), Change: shard.Altered}
}

func went(name int, epoch uint64) shard.Event {
	return shard.Event{Epoch: epoch, Hash: named(name), Change: shard.Went}
}
