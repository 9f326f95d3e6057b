package postgres

import (
	"errors"
	"strconv"
	"time"

	"namegate/storage/feed"
)

// feedHead is the state of a feed as one statement saw it.
type feedHead struct {
	isolated   bool // READ COMMITTED
	recovering bool
	server     server
	version    int64 // of the vshards
	tag        [16]byte
	seen       feed.Mark // of the row that the statement looked for, if there is one
	snapshot   feed.Snapshot
}

// server is a postmaster that is not in recovery.
type server struct {
	started  int64 // in microseconds since 2000 UTC
	system   uint64
	timeline uint32
}

// postgresEpoch is the begin of 2000 UTC, from which PostgreSQL counts, in
// microseconds of Unix time.
const postgresEpoch = 946_684_800_000_000

// feedHeadBegin begins a head, as the functions of the migrations do too. The mark of
// the row that the statement has found follows.
const feedHeadBegin = `boolsend(` + isolated + `) || boolsend(pg_is_in_recovery()) ||
		timestamptz_send(pg_postmaster_start_time()) || pg_snapshot_send(pg_current_snapshot()) ||
		uuid_send(i.id) || int8send(i.vshards_version) || uuid_send(i.vshards_tag) ||
		xid8send(i.feed_trimmed) || timestamptz_send(i.feed_trimmed_at) || xid8send(i.feed_past) || timestamptz_send(i.feed_past_at) || `

// feedMark is the mark of a row f, and noMark that of none.
const (
	feedMark = `xid8send(f.xid) || timestamptz_send(f.at)`
	noMark   = `'\x00000000000000000000000000000000'`
)

// feedHeadEnd is what else there is of a server: its system identifier and the timeline
// of its log. They are not in all heads, as the one is in a file, and neither changes: a
// server that is no standby gets another timeline only with another postmaster.
const feedHeadEnd = ` || int8send((SELECT system_identifier FROM pg_control_system())) ||
		textsend(CASE WHEN pg_is_in_recovery() THEN '00000000' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END)`

// feedHeadSQL looks for the newest row.
const feedHeadSQL = `SELECT ` + feedHeadBegin + `coalesce((SELECT ` + feedMark + ` FROM feed f ORDER BY f.xid DESC LIMIT 1), ` + noMark + `)` +
	feedHeadEnd + ` FROM identity i`

var (
	errIsolation = errors.New("isolation level is not READ COMMITTED")
	errHead      = errors.New("table identity has lost its row")
	errFeedBytes = errors.New("database packs its feed in a form that is not known")
)

// parse reads a head without its end.
func (h *feedHead) parse(p *parser) error {
	h.isolated, h.recovering = p.bool(), p.bool()
	h.server.started = p.int64()
	running, _, xmax := make([]uint64, p.length(8)), p.uint64(), p.uint64()
	for i := range running {
		running[i] = p.uint64()
	}
	h.snapshot.Xmax = xmax
	if len(running) > 0 {
		h.snapshot.Running = running
	}
	copy(h.snapshot.Source.Database[:], p.bytes(16))
	h.version = p.int64()
	copy(h.tag[:], p.bytes(16))
	h.snapshot.Trimmed, h.snapshot.Past, h.seen = p.mark(), p.mark(), p.mark()
	return p.err()
}

// parseEnd reads the end of a head.
func (h *feedHead) parseEnd(p *parser) error {
	s := h.server
	s.system = p.uint64()
	timeline, err := strconv.ParseUint(string(p.bytes(8)), 16, 32)
	if err != nil {
		return errFeedBytes
	}
	s.timeline = uint32(timeline)
	h.of(s)
	return p.err()
}

// of completes a head by what is known of its server.
func (h *feedHead) of(s server) {
	h.server = s
	h.snapshot.Source.System, h.snapshot.Source.Timeline = s.system, s.timeline
}

// newest is of the newest visible row, where that is what was looked for.
func (h *feedHead) newest() feed.Mark {
	return newer(h.seen, newer(h.snapshot.Past, h.snapshot.Trimmed))
}

// newer is the one with the higher xid.
func newer(a, b feed.Mark) feed.Mark {
	if a.Xid > b.Xid {
		return a
	}
	return b
}

// check says whether a reader can go on from a position, where that one's newest row
// was looked for.
func (h *feedHead) check(from feed.Position) error { return h.snapshot.Check(from, h.seen) }

// poll is the result of one that read rows up to newest, if any.
func (h *feedHead) poll(from feed.Position, newest feed.Mark, sent time.Time) feed.Poll {
	return feed.Poll{
		Position: h.snapshot.At(newer(newest, from.Newest())), Sent: sent,
		VshardsVersion: h.version, VshardsTag: h.tag,
	}
}

// parseOwned reads what feed_owned gives, nil for those who know it.
func parseOwned(p *parser) (*feed.Owned, error) {
	n := p.int32()
	if p.failed || n <= 0 {
		return nil, nil
	}
	var owned feed.Owned
	for range n - 1 {
		v, epoch := p.int16(), p.int64()
		if p.failed || v < 0 || int(v) >= len(owned) {
			return nil, errFeedBytes
		}
		owned[v] = epoch
	}
	return &owned, nil
}
