package hotname

import (
	"time"

	"namegate/storage"
)

const (
	// releaseLife is how long a release is remembered at least: as long as a copy of what
	// it ended can count, and a minute for messages and feeds that are late.
	releaseLife = 2 * time.Minute
	// releasesPerEntry is how many are remembered in one generation for each entry that
	// the list has room for.
	releasesPerEntry = 4
)

// releases remember up to which version a name's holdings are over: by the hash of the
// name, in two generations, of which the older one is forgotten as a whole.
type releases struct {
	room       int
	young, old map[uint64]storage.Version
	turned     time.Duration
}

func newReleases(entries int, now time.Duration) releases {
	return releases{room: entries * releasesPerEntry, young: map[uint64]storage.Version{}, turned: now}
}

// note remembers a release.
func (r *releases) note(hash uint64, v storage.Version, now time.Duration) {
	if v.Compare(r.of(hash)) <= 0 {
		return
	}
	if len(r.young) >= r.room {
		r.turn(now)
	}
	r.young[hash] = v
}

// of is the version of the newest release of a name; zero for none.
func (r *releases) of(hash uint64) storage.Version {
	young, old := r.young[hash], r.old[hash]
	if young.Compare(old) < 0 {
		return old
	}
	return young
}

// age forgets what is old enough.
func (r *releases) age(now time.Duration) {
	if now-r.turned >= releaseLife {
		r.turn(now)
	}
}

func (r *releases) turn(now time.Duration) {
	r.young, r.old, r.turned = map[uint64]storage.Version{}, r.young, now
}
