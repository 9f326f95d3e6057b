package hotname

import (
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// EncodeRelease is the message of a release.
func EncodeRelease(key string, v storage.Version) []byte { return encodeRelease(key, v) }

// Encode is the message of a standing of which so much life is left on arrival.
func (l *List) Encode(s storage.Standing, left time.Duration) []byte {
	b, ok := l.newEntry(s, left+travel).encode(0)
	if !ok {
		panic("cannot be told")
	}
	return b
}

// Decode gives what a message says; Held is nil for a release.
func Decode(b []byte) (key string, s storage.Standing, left time.Duration, err error) {
	h, err := decode(b)
	return h.key, h.standing, h.left, err
}

// Begin begins to read a name, and gives what ends that.
func (l *List) Begin(id identifier.Identifier) (settle func(storage.Standing, error)) {
	sent := l.options.Clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &plan{id: id, reading: true, before: l.table.find(l.hash(id.Key()), id.Key())}
	l.plans[id.Key()] = p
	l.reading++
	return func(s storage.Standing, err error) { l.settle(p, s, sent, err) }
}

// Told are the messages that are due, in order; so is what waits to be sent.
func (l *List) Told() (payloads [][]byte) {
	for len(l.outbox) > 0 {
		payloads = append(payloads, (<-l.outbox).payload)
	}
	for _, m := range l.again(l.options.Clock()) {
		payloads = append(payloads, m.payload)
	}
	return payloads
}

// Expire takes out what has come to its end.
func (l *List) Expire() { l.expire(l.options.Clock()) }

// Turn begins the next second of the sketch.
func (l *List) Turn() { l.sketch.turn() }

// Count counts one answer about a name, and says whether that makes it hot.
func (l *List) Count(key string) bool { return l.sketch.add(l.hash(key)) }

// Waiting is how many hot names wait for Run.
func (l *List) Waiting() int { return len(l.hot) }

// Remembered is how many releases are remembered.
func (l *List) Remembered() int { return len(l.releases.young) + len(l.releases.old) }

// The bounds, for tests.
const (
	Travel           = travel
	FirstDelay       = firstDelay
	BeatInterval     = beatInterval
	RenewReserve     = renewReserve
	RenewSpan        = renewSpan
	ReleaseLife      = releaseLife
	ReleasesPerEntry = releasesPerEntry
	ReadTimeout      = readTimeout
	MaxPlans         = maxPlans
	MaxHot           = maxHot
	MaxReads         = maxReads
	MaxPayload       = maxPayload
	MaxSent          = maxSent
	MaxNews          = maxNews
)
