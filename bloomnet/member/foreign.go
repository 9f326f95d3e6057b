package member

import (
	"log/slog"
	"time"
)

// maxTold bounds what is remembered of foreign replicas.
const maxTold = 256

// twinTime is after how long an earlier start of this replica, which has not been found dead,
// is taken for another one with its id.
const twinTime = time.Minute

// tell logs once what an operator must know of a replica; of one that was mended since,
// again. A twin is never mended, as this replica itself goes by the same id.
func (t *table) tell(m Member) {
	own := m.Replica == t.own.Replica
	switch {
	case m.Foreign:
		t.warn("nothing is shared with a replica that is set up differently", m)
	case own && m.Boot > t.own.Boot:
		t.warn(twin, m)
	case !own:
		delete(t.told, m.Replica)
	}
}

const twin = "another replica runs under this one's id: give one of them another --replica-id or --data-dir"

// tellTwins logs that an earlier start of this replica goes on.
func (t *table) tellTwins() {
	for _, e := range t.nodes {
		if e.Replica == t.own.Replica && e.Boot < t.own.Boot && time.Since(e.since) > twinTime {
			t.warn(twin, e.Member)
		}
	}
}

func (t *table) warn(text string, m Member) {
	if t.told[m.Replica] || len(t.told) == maxTold {
		return
	}
	t.told[m.Replica] = true
	t.journal.tell(slog.LevelWarn, text, slog.String("replica", m.Replica), slog.Any("address", m.Gossip),
		slog.Int("version", int(m.Version)), slog.Int("own_version", int(t.own.Version)),
		slog.Any("fingerprint", m.Fingerprint), slog.Any("own_fingerprint", t.own.Fingerprint))
}
