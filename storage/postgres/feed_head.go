package postgres

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage/feed"
)

// feedHead is the state of a feed as one statement saw it.
type feedHead struct {
	Isolated   bool
	Recovering bool
	Database   pgtype.UUID
	System     int64
	Timeline   uint32
	Visible    string // pg_snapshot
	Trimmed    uint64 `json:",string"`
	Version    int64
	Tag        pgtype.UUID
	// Newest is the highest xid of a visible row, at a start.
	Newest uint64 `json:",string"`
	// Witnessed says, in a poll, that a row has the position's newest xid.
	Witnessed bool

	snapshot feed.Snapshot
}

// Parts of the statements that read a feedHead. The timeline is that of the log
// as it is written; a standby writes none.
const (
	feedHeadFields = `'isolated', ` + isolated + `, 'recovering', pg_is_in_recovery(), 'database', i.id,
		'system', (SELECT system_identifier FROM pg_control_system()),
		'timeline', CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END,
		'visible', pg_current_snapshot(), 'trimmed', t.xid, 'version', i.vshards_version, 'tag', i.vshards_tag`
	feedHeadTables = `identity i, feed_trimmed t WHERE i.only_row AND t.only_row`
	feedHeadSQL    = `SELECT json_build_object(` + feedHeadFields + `, 'newest', (SELECT xid FROM feed ORDER BY xid DESC LIMIT 1))
	FROM ` + feedHeadTables
)

var errIsolation = errors.New("isolation level is not READ COMMITTED")

// complete checks what every reader relies on and derives the snapshot.
func (h *feedHead) complete() error {
	if h.Recovering {
		return errStandby
	}
	if !h.Isolated {
		return errIsolation
	}
	xmax, running, err := parseSnapshot(h.Visible)
	h.snapshot = feed.Snapshot{
		Source: feed.Source{Database: h.Database.Bytes, System: uint64(h.System), Timeline: h.Timeline},
		Xmax:   xmax, Running: running, Trimmed: h.Trimmed,
	}
	return err
}

// parseSnapshot reads a pg_snapshot: xmin:xmax:xid,xid,... in ascending order.
func parseSnapshot(text string) (xmax uint64, running []uint64, err error) {
	_, rest, _ := strings.Cut(text, ":")
	end, list, _ := strings.Cut(rest, ":")
	if xmax, err = strconv.ParseUint(end, 10, 64); err != nil {
		return 0, nil, fmt.Errorf("read snapshot: %w", err)
	}
	for _, xid := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.ParseUint(xid, 10, 64)
		if err != nil {
			return 0, nil, fmt.Errorf("read snapshot: %w", err)
		}
		running = append(running, n)
	}
	return xmax, running, nil
}

// check says whether a reader can go on from a position.
func (h *feedHead) check(from feed.Position) error {
	return h.snapshot.Check(from, h.Witnessed)
}

// poll is the result of one that read rows up to the xid newest, or 0 for none.
func (h *feedHead) poll(from feed.Position, newest uint64, sent time.Time) feed.Poll {
	return feed.Poll{
		Position: h.snapshot.At(max(newest, from.Newest())), Sent: sent,
		VshardsVersion: h.Version, VshardsTag: h.Tag.Bytes,
	}
}
