package member

import (
	"slices"
	"time"
)

// departures are the replicas that went, by id. They are looked for: memberlist itself
// forgets them after half a minute, and the two sides of a longer partition would stay
// apart for ever.
type departures map[string]Departure

// Departures are kept for so long, and so many of them.
const (
	departureTime = 6 * time.Hour
	maxDepartures = 64
)

func (d departures) add(m Member) {
	if len(d) == maxDepartures {
		d.remove(d.sorted()[0].Replica)
	}
	d[m.Replica] = Departure{m, time.Now()}
}

func (d departures) remove(replica string) { delete(d, replica) }

// expire says whether it forgot any.
func (d departures) expire() bool {
	before := len(d)
	for replica, gone := range d {
		if time.Since(gone.At) > departureTime {
			delete(d, replica)
		}
	}
	return len(d) < before
}

// sorted are the departures, the oldest first.
func (d departures) sorted() []Departure {
	list := make([]Departure, 0, len(d))
	for _, gone := range d {
		list = append(list, gone)
	}
	slices.SortFunc(list, func(a, b Departure) int { return a.At.Compare(b.At) })
	return list
}
