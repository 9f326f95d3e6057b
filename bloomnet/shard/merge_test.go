package shard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// history is what one database did: at position 11+i the i-th event is visible.
type history []shard.Event

const historyNames = 12

func newHistory(random *rand.Rand, length int) (h history) {
	there := map[int]bool{}
	for range length {
		i := random.IntN(historyNames)
		e := shard.Event{Epoch: 1, Hash: named(i), Change: shard.Came, Reserved: random.IntN(2) == 0}
		switch {
		case there[i] && random.IntN(2) == 0:
			e.Change, e.Reserved = shard.Went, false
		case there[i]:
			e.Change = shard.Altered
		}
		there[i] = e.Change != shard.Went
		h = append(h, e)
	}
	return h
}

// at is what was there at a position, and whether it was reserved.
func (h history) at(position uint64) map[bloom.Hash]bool {
	there := map[bloom.Hash]bool{}
	for _, e := range h[:position-10] {
		if e.Change == shard.Went {
			delete(there, e.Hash)
		} else {
			there[e.Hash] = e.Reserved
		}
	}
	return there
}

func (h history) built(f *fixture, build, position uint64) shard.Image {
	base, names, recent := bloom.New(historyNames), uint64(0), []bloom.Hash(nil)
	for name, isReserved := range h.at(position) {
		if isReserved {
			recent = append(recent, name)
			continue
		}
		base.Add(name)
		names++
	}
	return shard.Built(shard.Head{Epoch: 1, Build: build, Database: dbA, At: f.at(dbA, position)}, base, names, recent)
}

// merger is a replica that reads a history, and takes what images come.
type merger struct {
	*fixture
	history history
	read    uint64
	ahead   uint64 // what some image of its was as of
}

func newMerger(t *testing.T, h history) *merger {
	t.Helper()
	m := &merger{fixture: empty(t), history: h, read: 10}
	m.begin(dbA, 10)
	m.follow(0)
	return m
}

// follow reads some events more.
func (m *merger) follow(events uint64) {
	to := min(m.read+events, 10+uint64(len(m.history)))
	m.poll(dbA, to, 1, m.history[m.read-10:to-10]...)
	m.read = to
}

// takes installs an image, or not.
func (m *merger) takes(i shard.Image) error {
	err := m.core.Install(0, i)
	if err == nil {
		m.ahead = max(m.ahead, i.AsOf.At)
	}
	return err
}

// hasAll requires what is there at the replica's position, and still is at that of its
// images.
func (m *merger) hasAll() {
	m.t.Helper()
	there := m.history.at(m.read)
	for at := m.read; at < m.ahead; at++ {
		if e := m.history[at-10]; e.Change == shard.Went {
			delete(there, e.Hash)
		}
	}
	for name := range there {
		standing, _ := m.view.Check(0, name)
		require.NotEqual(m.t, shard.Free, standing)
	}
}

// Images in any order, with polls between them, never lose a name, and the newest build
// wins.
func TestImagesInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 2))
		h := newHistory(random, 40)
		source := newMerger(t, h)
		source.install(h.built(source.fixture, 1, 10))
		var images []shard.Image
		for build := range uint64(12) {
			source.follow(random.Uint64N(6))
			m := source.image().Fold(build + 2)
			if random.IntN(2) == 0 {
				m = h.built(source.fixture, build+2, 10+random.Uint64N(source.read-9))
			}
			if random.IntN(2) == 0 && source.takes(m) == nil {
				source.follow(random.Uint64N(3))
				m = source.image()
			}
			images = append(images, m)
		}
		reader, newest := newMerger(t, h), uint64(0)
		for range 40 {
			m := images[random.IntN(len(images))]
			if reader.takes(m) == nil {
				require.Greater(t, m.Head.Build, newest)
				newest = m.Head.Build
				require.ErrorIs(t, reader.takes(m), shard.ErrOlder, "once is as good as twice")
			}
			reader.hasAll()
			reader.follow(random.Uint64N(4))
			reader.hasAll()
		}
		require.NotZero(t, newest)
		source.follow(40)
		source.hasAll()
	}
}

// Two replicas that end at one table-built image and one position know the same names.
func TestReplicasConverge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		h := newHistory(random, 40)
		end := uint64(50)
		var shown [2]map[bloom.Hash]shard.Standing
		for i := range shown {
			m := newMerger(t, h)
			for m.read < end {
				m.follow(random.Uint64N(9))
				_ = m.takes(h.built(m.fixture, m.read, 10+random.Uint64N(m.read-9))) // or not
			}
			m.install(h.built(m.fixture, 100, end))
			m.follow(0)
			shown[i] = map[bloom.Hash]shard.Standing{}
			for n := range historyNames {
				shown[i][named(n)], _ = m.view.Check(0, named(n))
			}
			m.hasAll()
		}
		require.Equal(t, shown[0], shown[1])
	}
}
