package rediscache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
)

// database is a made-up one: what is held, in whose order, and the feed of it.
type database struct {
	name  string
	reads atomic.Int64

	mu     sync.Mutex
	last   int64 // id that was drawn last
	rows   map[string]storage.Standing
	events []feed.Event
	given  int // how many were applied
	past   map[string][]change
	source feed.Source
}

var _ feed.Reader = (*database)(nil)

func newDatabase(name string) *database {
	return &database{name: name, rows: map[string]storage.Standing{}, past: map[string][]change{}, source: feed.Source{System: 1, Timeline: 1}}
}

func (d *database) draw() storage.Version {
	d.last++
	return storage.Version{Epoch: 1, ID: d.last}
}

// take lets an account have a name.
func (d *database) take(id identifier.Identifier) { d.change(id, feed.Came) }

// release gives it up.
func (d *database) release(id identifier.Identifier) { d.change(id, feed.Went) }

func (d *database) change(id identifier.Identifier, kind feed.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, id.Key())
	if v := d.draw(); kind != feed.Went {
		d.rows[id.Key()] = storage.Standing{Held: &storage.Holding{Identifier: id, State: storage.Active}, Version: v}
	}
	d.past[id.Key()] = append(d.past[id.Key()], change{time.Now(), kind != feed.Went})
	e := feed.Event{ID: d.draw().ID, Epoch: 1, Kind: id.Kind(), Key: id.Key(), Change: kind}
	d.events = append(d.events, e)
}

// change is when a name came to be held, or free.
type change struct {
	at   time.Time
	held bool
}

// was says that a name was held, or was not, at any moment from one to another.
func (d *database) was(id identifier.Identifier, held bool, from, to time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := false // before the first change
	for _, c := range d.past[id.Key()] {
		if c.at.After(from) && now == held {
			return true
		}
		if c.at.After(to) {
			return false
		}
		now = c.held
	}
	return now == held
}

// read gives what the database says of a name.
func (d *database) read(id identifier.Identifier) rediscache.Read {
	return func(context.Context) (storage.Standing, error) {
		d.reads.Add(1)
		return d.standing(id), nil
	}
}

func (d *database) standing(id identifier.Identifier) storage.Standing {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, held := d.rows[id.Key()]
	if !held {
		s.Version.Epoch = 1
	}
	s.AsOf = time.Now().UTC().Truncate(time.Microsecond)
	return s
}

func (d *database) Database() string { return d.name }

func (d *database) Now(context.Context) (feed.Position, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.position(), nil
}

func (d *database) position() feed.Position {
	return feed.Position{Source: d.source, Xmax: uint64(len(d.events)) + 1}
}

func (d *database) Oldest(context.Context) (feed.Position, error) {
	return feed.Position{}, errors.New("nobody asks for it")
}

func (d *database) Poll(_ context.Context, from feed.Position, apply func([]feed.Event) error) (feed.Poll, error) {
	d.mu.Lock()
	if from.Source != d.source {
		d.mu.Unlock()
		return feed.Poll{}, &feed.RebuildError{Reason: "the test says so"}
	}
	news, to := d.events[from.Xmax-1:], d.position()
	d.mu.Unlock()
	if len(news) == 0 {
		return feed.Poll{Position: to}, nil
	}
	err := apply(news)
	if err == nil {
		d.mu.Lock()
		d.given = max(d.given, int(to.Xmax)-1)
		d.mu.Unlock()
	}
	return feed.Poll{Position: to}, err
}

// polled says that all changes so far were given to somebody.
func (d *database) polled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.given == len(d.events)
}
