package shard_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// server is a database, as far as feeds go: transactions become visible in another order
// than they began, and a crash gives the xids out again of those whose end did not reach
// the disk.
type server struct {
	w        *world
	number   int
	timeline int
	down     bool
	restarts int
	next     uint64   // xid to be given out
	flushed  uint64   // xids up to this one are never given out again
	open     []uint64 // running, ascending
	feed     []*row   // in order of id
	trimmed  uint64   // highest xid that was trimmed
	owned    []uint64 // by shard: epoch, or 0
	version  int      // of owned
}

// row is one of the feed.
type row struct {
	xid     uint64
	at      time.Duration
	visible bool
	event   shard.Event
}

func newServer(w *world, number int) *server {
	return &server{w: w, number: number, next: 3, flushed: 2, owned: make([]uint64, simShards)}
}

func (s *server) name() string { return fmt.Sprint("db", s.number) }

func (s *server) begin() uint64 {
	xid := s.next
	s.next++
	s.open = append(s.open, xid)
	return xid
}

// end makes a transaction's rows visible, or undoes them.
func (s *server) end(xid uint64, commit bool) {
	s.open = slices.DeleteFunc(s.open, func(o uint64) bool { return o == xid })
	if !commit {
		s.feed = slices.DeleteFunc(s.feed, func(r *row) bool { return r.xid == xid && !r.visible })
		return
	}
	s.flushed = s.next - 1
	for _, r := range s.feed {
		r.visible = r.visible || r.xid == xid
	}
}

// crash aborts what runs, and gives out again what was not flushed.
func (s *server) crash() {
	s.down, s.open, s.next = true, nil, s.flushed+1
	s.restarts++
	s.feed = slices.DeleteFunc(s.feed, func(r *row) bool { return !r.visible })
	s.w.after(s.w.between(200, 2000), func() { s.down = false })
}

// failOver promotes a standby that has everything: positions are void.
func (s *server) failOver() {
	s.crash()
	s.timeline++
}

// trim takes out of the feed what has been visible for a while.
func (s *server) trim(age time.Duration) {
	s.feed = slices.DeleteFunc(s.feed, func(r *row) bool {
		old := r.visible && r.at < s.w.now-age
		if old {
			s.trimmed = max(s.trimmed, r.xid)
		}
		return old
	})
}

// position is where a reader is who has all that is visible.
func (s *server) position() shard.Position {
	newest := s.trimmed
	for _, r := range s.feed {
		if r.visible {
			newest = max(newest, r.xid)
		}
	}
	end, _ := slices.BinarySearch(s.open, newest)
	token := strconv.FormatUint(newest+1, 10)
	for _, xid := range s.open[:end] {
		token += "," + strconv.FormatUint(xid, 10)
	}
	return shard.Position{
		Source: s.name() + "/" + strconv.Itoa(s.timeline), At: newest + 1 - uint64(end), Token: token,
	}
}

// since is a position in the terms of the server.
func since(p shard.Position) (xmax uint64, running []uint64) {
	for i, text := range strings.Split(p.Token, ",") {
		xid, _ := strconv.ParseUint(text, 10, 64)
		if i == 0 {
			xmax = xid
			continue
		}
		running = append(running, xid)
	}
	return xmax, running
}

// poll gives what has become visible since a position; not ok when that is void.
func (s *server) poll(from shard.Position) (p shard.Poll, ok bool) {
	xmax, running := since(from)
	p = shard.Poll{From: from, To: s.position()}
	lost := xmax <= s.trimmed || slices.ContainsFunc(running, func(xid uint64) bool {
		return xid <= s.trimmed && !slices.Contains(s.open, xid)
	})
	if p.To.Source != from.Source || lost {
		return p, false
	}
	for _, r := range s.feed {
		if r.visible && (r.xid >= xmax || slices.Contains(running, r.xid)) {
			p.Events = append(p.Events, r.event)
		}
	}
	return p, true
}

// table is a copy of a shard.
func (s *server) table(number int) (lasting, reserved []bloom.Hash) {
	for i, n := range s.w.shards[number].names {
		switch n.state {
		case isLasting:
			lasting = append(lasting, nameTable[number][i])
		case isReserved:
			reserved = append(reserved, nameTable[number][i])
		}
	}
	return lasting, reserved
}
