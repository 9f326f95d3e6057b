package feed_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
)

// server is PostgreSQL as far as xids and visibility go. A change is known by the
// xid that it was made under and the number of its transaction, as a crash may give
// an xid out again.
type server struct {
	random  *rand.Rand
	clock   int64 // goes on, whatever happens
	changes int   // as does their number
	disk
	backup *disk
}

// disk is what a copy of the server's disk has.
type disk struct {
	next    uint64            // xid to be given out
	flushed uint64            // after a crash xids up to this one are not given out again
	began   map[uint64]int64  // each open transaction: by the clock
	running map[uint64][]int  // its changes
	durable map[uint64]bool   // prepared transactions, which a crash leaves open
	visible map[int]feed.Mark // committed change: its transaction
	trimmed feed.Mark         // of the highest xid of what was trimmed
	gone    map[int]bool      // what was trimmed
}

func (d disk) copied() disk {
	d.began, d.running, d.durable = maps.Clone(d.began), maps.Clone(d.running), maps.Clone(d.durable)
	d.visible, d.gone = maps.Clone(d.visible), maps.Clone(d.gone)
	return d
}

func newServer(seed uint64) *server {
	return &server{random: rand.New(rand.NewPCG(seed, 1)), disk: disk{
		next: 3, flushed: 2, began: map[uint64]int64{}, running: map[uint64][]int{},
		durable: map[uint64]bool{}, visible: map[int]feed.Mark{}, gone: map[int]bool{},
	}}
}

func (s *server) step() {
	s.clock++
	open, n := slices.Sorted(maps.Keys(s.running)), s.random.IntN(20)
	switch {
	case s.random.IntN(200) == 0:
		s.setBack()
	case n < 6 || len(open) == 0:
		s.running[s.next], s.began[s.next] = nil, s.clock
		s.next++
	case n < 11:
		xid := open[s.random.IntN(len(open))]
		s.changes++
		s.running[xid] = append(s.running[xid], s.changes)
	case n < 15:
		s.commit(open[s.random.IntN(len(open))])
	case n < 17: // not flushed
		s.abort(open[s.random.IntN(len(open))])
	case n < 18:
		s.durable[open[s.random.IntN(len(open))]] = true
		s.flushed = s.next - 1
	case n < 19:
		s.trim()
	default:
		s.crash()
	}
}

func (s *server) commit(xid uint64) {
	for _, change := range s.running[xid] {
		s.visible[change] = feed.Mark{Xid: xid, Began: s.began[xid]}
	}
	s.abort(xid)
	s.flushed = s.next - 1
}

func (s *server) abort(xid uint64) {
	delete(s.running, xid)
	delete(s.began, xid)
	delete(s.durable, xid)
}

func (s *server) crash() {
	maps.DeleteFunc(s.running, func(xid uint64, _ []int) bool { return !s.durable[xid] })
	s.next = s.flushed + 1
}

// setBack puts a copy of the disk back, or makes one, of a server that was stopped for it.
// What is prepared then and committed later, below the newest change, nothing tells from
// what is not committed in the copy.
func (s *server) setBack() {
	if s.backup != nil && s.random.IntN(2) == 0 {
		s.disk = s.backup.copied()
		return
	}
	if len(s.durable) > 0 {
		return
	}
	s.crash()
	backup := s.disk.copied()
	s.backup = &backup
}

// trim takes the visible ones among the oldest changes away: those of partitions
// by the begin of transactions, and so not always of the lowest xids.
func (s *server) trim() {
	for change, mark := range s.visible {
		if change < s.changes-20 {
			s.gone[change], s.trimmed = true, newer(s.trimmed, mark)
			delete(s.visible, change)
		}
	}
	s.flushed = s.next - 1
}

// snapshot is as PostgreSQL's: Xmax is beyond the last one that has ended.
func (s *server) snapshot() feed.Snapshot {
	xmax := s.next
	for s.isOpen(xmax - 1) {
		xmax--
	}
	open := slices.Sorted(maps.Keys(s.running))
	end, _ := slices.BinarySearch(open, xmax)
	return feed.Snapshot{Source: source, Xmax: xmax, Running: open[:end], Trimmed: s.trimmed}
}

func (s *server) isOpen(xid uint64) bool { _, open := s.running[xid]; return open }

func (s *server) newest() feed.Mark {
	newest := s.trimmed
	for _, mark := range s.visible {
		newest = newer(newest, mark)
	}
	return newest
}

func newer(a, b feed.Mark) feed.Mark {
	if a.Xid > b.Xid {
		return a
	}
	return b
}

// poll gives the changes that have become visible since a position.
func (s *server) poll(p feed.Position) (changes []int, next feed.Position, err error) {
	newest, seen := p.Newest(), feed.Mark{}
	for change, mark := range s.visible {
		if mark.Xid == p.Newest().Xid {
			seen = mark
		}
		if mark.Xid >= p.Xmax || slices.Contains(p.Running, mark.Xid) {
			changes, newest = append(changes, change), newer(newest, mark)
		}
	}
	snapshot := s.snapshot()
	return changes, snapshot.At(newest), snapshot.Check(p, seen)
}

// history is every change that was ever committed.
func (s *server) history() map[int]bool {
	all := maps.Clone(s.gone)
	for change := range s.visible {
		all[change] = true
	}
	return all
}

// A reader that stores its position at every poll gets each change once, whatever
// commits, is undone, stays open or is lost in a crash or with all that followed a copy
// of the disk, or it is told to rebuild.
func TestNothingIsMissedOrRepeated(t *testing.T) {
	t.Parallel()
	rebuilt, read := 0, 0
	for seed := range uint64(2000) {
		s, seen := newServer(seed), map[int]bool{}
		p := s.snapshot().At(s.newest())
		for range 40 {
			for range 1 << s.random.IntN(7) { // mostly soon again, at times late
				s.step()
			}
			changes, next, err := s.poll(p)
			if err != nil {
				changes, next, seen = nil, s.snapshot().At(s.newest()), s.history()
				rebuilt++
			}
			for _, change := range changes {
				require.False(t, seen[change], "seed %d: change %d comes twice", seed, change)
				seen[change] = true
			}
			require.Equal(t, s.history(), seen, "seed %d", seed)
			read += len(changes)
			p = stored(t, next)
		}
	}
	require.Greater(t, read, rebuilt)
	require.Positive(t, rebuilt)
}

// stored is the position as a reader finds it after a restart.
func stored(t *testing.T, p feed.Position) (again feed.Position) {
	b, err := p.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, again.UnmarshalBinary(b))
	return again
}

func TestWhatMakesAPositionVoid(t *testing.T) {
	t.Parallel()
	s := feed.Snapshot{Source: source, Xmax: 100, Running: []uint64{50, 90}, Trimmed: feed.Mark{Xid: 60, Began: 5}, Past: feed.Mark{Xid: 65, Began: 6}}
	at := func(xmax uint64, running ...uint64) feed.Position {
		return feed.Position{Source: source, Xmax: xmax, Began: 7, Running: running}
	}
	for name, p := range map[string]feed.Position{
		"the newest":                  at(100, 50, 90),
		"just above what was trimmed": at(61),
		"one still running":           at(70, 50),
	} {
		require.NoError(t, s.Check(p, p.Newest()), name)
	}
	for _, mark := range []feed.Mark{s.Trimmed, s.Past} {
		p := at(mark.Xid + 1)
		require.ErrorContains(t, s.Check(p, feed.Mark{}), "database has been set back")
		p.Began = mark.Began
		require.NoError(t, s.Check(p, feed.Mark{}), "its newest change is the last one that was trimmed, or put aside")
	}

	foreign, moved, promoted := at(70), at(70), at(70)
	foreign.Source.Database[0]++
	moved.Source.System++
	promoted.Source.Timeline++
	for reason, p := range map[string]feed.Position{
		"none yet":            {},
		"another database":    foreign,
		"another server":      moved,
		"another timeline":    promoted,
		"server has been set": at(101),
		"have been trimmed":   at(60),
		"been trimmed":        at(70, 55),
	} {
		var void *feed.RebuildError
		err := s.Check(p, p.Newest())
		require.ErrorAs(t, err, &void, reason)
		require.ErrorContains(t, err, reason)
	}
	for _, seen := range []feed.Mark{{}, {Xid: 69, Began: 8}} {
		require.ErrorContains(t, s.Check(at(70), seen), "database has been set back")
	}
}
