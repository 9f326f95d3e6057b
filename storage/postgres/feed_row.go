package postgres

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// feedRows are rows of the feed as feed_pack gives them, one after the other.
type feedRows struct {
	newest feed.Mark // of the highest xid
	rows   int
	events []feed.Event
}

// feedRowSize is the least that a row of one change takes.
const feedRowSize = 8 + 8 + 8 + 4 + 4 + 8 + 2 + 2 + 2 + 2 + 4 + 4

// parse adds rows.
func (r *feedRows) parse(p *parser) error {
	p.all = string(p.rest)
	for len(p.rest) > 0 && !p.failed {
		r.row(p)
	}
	if p.failed {
		return errFeedBytes
	}
	return nil
}

func (r *feedRows) row(p *parser) {
	event := feed.Event{ID: p.int64()}
	mark := p.mark()
	event.At = time.UnixMicro(mark.Began + postgresEpoch).UTC()
	event.Cause = p.text(p.length(1))
	if n := p.int32(); n == 1 {
		r.single(p, event)
	} else {
		r.several(p, event)
	}
	r.rows++
	r.newest = newer(r.newest, mark)
}

// single reads the change of a row that has one.
func (r *feedRows) single(p *parser, event feed.Event) {
	event.Epoch = p.int64()
	event.Vshard, event.Kind = storage.Vshard(p.int16()), identifier.Kind(p.int16())
	event.Change, event.State = feed.Change(p.int16()), storage.State(p.int16())
	event.Key = p.text(p.length(1))
	event.Actor = p.text(p.length(1))
	r.events = append(r.events, event)
}

// several reads the changes of a row that has any number.
func (r *feedRows) several(p *parser, event feed.Event) {
	epochs, vshards, kinds, changes, states, keys, actors := p.array(8), p.array(2), p.array(2), p.array(2), p.array(2), p.array(0), p.array(0)
	for _, a := range []array{vshards, kinds, changes, states, keys, actors} {
		p.failed = p.failed || a.n != epochs.n
	}
	if p.failed {
		return
	}
	r.events = slices.Grow(r.events, epochs.n)
	for i := range epochs.n {
		event.Ordinal = i
		event.Epoch = int64(binary.BigEndian.Uint64(epochs.next()))
		event.Vshard, event.Kind = storage.Vshard(vshards.int16()), identifier.Kind(kinds.int16())
		event.Change, event.State = feed.Change(changes.int16()), storage.State(states.int16())
		event.Key, event.Actor = keys.text(), actors.text()
		r.events = append(r.events, event)
	}
}

// sort puts the events in the order of application.
func (r *feedRows) sort() {
	slices.SortFunc(r.events, func(a, b feed.Event) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ordinal, b.Ordinal))
	})
}

// array is what is left of an array in array_send's form, whose elements have been
// found to be whole and not null.
type array struct {
	n    int
	rest []byte
	all  string // ends with rest
}

// arrayHeader is: number of dimensions, whether there are nulls, type of the
// elements; then, unless the array is empty, its length and lower bound.
const arrayHeader = 4 + 4 + 4

// array reads an array with elements of the given size, or of any for 0.
func (p *parser) array(size int) array {
	head := p.bytes(arrayHeader)
	if len(head) < arrayHeader || head[3] == 0 {
		p.failed = p.failed || len(head) < arrayHeader
		return array{}
	}
	n := int(p.int32())
	p.bytes(4)
	if n < 0 || n > len(p.rest)/4 || head[3] != 1 {
		p.failed, p.rest = true, nil
		return array{}
	}
	all := p.rest
	for range n {
		length := p.length(1)
		if size > 0 && length != size {
			p.failed = true
		}
		p.bytes(length)
	}
	end := len(p.all) - len(p.rest)
	return array{n, all[:len(all)-len(p.rest)], p.all[:end]}
}

func (a *array) next() []byte {
	n := binary.BigEndian.Uint32(a.rest)
	element := a.rest[4 : 4+n]
	a.rest = a.rest[4+n:]
	return element
}

func (a *array) text() string {
	n := len(a.next())
	end := len(a.all) - len(a.rest)
	return a.all[end-n : end]
}

func (a *array) int16() int16 { return int16(binary.BigEndian.Uint16(a.next())) }
