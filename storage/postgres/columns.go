package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// place is where an identifier's row stands: the primary key without its
// vshard, which follows from the key.
type place struct {
	kind identifier.Kind
	key  string
}

func placeOf(id identifier.Identifier) place { return place{id.Kind(), id.Key()} }

// places are the columns of an array parameter each, in the order of a batch.
type places struct {
	vshards []int16
	kinds   []int16
	keys    []string
}

func newPlaces(n int) places {
	return places{make([]int16, 0, n), make([]int16, 0, n), make([]string, 0, n)}
}

func (p *places) add(id identifier.Identifier) {
	p.vshards = append(p.vshards, int16(storage.VshardOf(id)))
	p.kinds = append(p.kinds, int16(id.Kind()))
	p.keys = append(p.keys, id.Key())
}

// sparse is a column of texts that mostly have their usual value: null where it
// is so, and no array at all where all are, as each array that a statement unnests
// costs it more than the rest of a row's parameter. unnest fills up with nulls.
type sparse []pgtype.Text

// set sets row i of n.
func (s *sparse) set(i, n int, value, usual string) {
	if value == usual {
		return
	}
	if *s == nil {
		*s = make(sparse, n)
	}
	(*s)[i] = pgtype.Text{String: value, Valid: true}
}

// heldColumns selects, of the row x, what heldRow scans, be x a table or a column.
// All are null where there is no x.
const heldColumns = `(x).state, (x).blocked, (x).grant_id, (x).holder, (x).owner, (x).since, (x).expire_at, (x).canonical, (x).display`

// held says that the row x keeps others away. Expiry is judged by the database's
// clock. A row past its end with an intent counts as held until it is settled.
const held = `coalesce(x.state = 2 OR x.blocked OR x.intent_grant IS NOT NULL OR x.expire_at > now(), false)`

// heldRow is a holding as it comes from a table, or nulls.
type heldRow struct {
	state     pgtype.Int2
	blocked   pgtype.Bool
	grant     pgtype.UUID
	holder    pgtype.UUID
	owner     pgtype.Text
	since     pgtype.Timestamptz
	expireAt  pgtype.Timestamptz
	canonical pgtype.Text
	display   pgtype.Text
}

func (r *heldRow) fields() []any {
	return []any{&r.state, &r.blocked, &r.grant, &r.holder, &r.owner, &r.since, &r.expireAt, &r.canonical, &r.display}
}

// holding is the row as the contract sees it. The key is that which was asked for.
func (r *heldRow) holding(id identifier.Identifier) storage.Holding {
	return storage.Holding{
		Identifier: identifier.Stored(id.Kind(), id.Key(), r.canonical.String, r.display.String),
		State:      storage.State(r.state.Int16),
		Grant:      r.grant.Bytes,
		Holder:     r.holder.Bytes,
		Owner:      r.owner.String,
		Blocked:    r.blocked.Bool,
		Since:      instant(r.since),
		ExpireAt:   instant(r.expireAt),
	}
}

// smallints are vshards as a column.
func smallints(vshards []storage.Vshard) []int16 {
	list := make([]int16, len(vshards))
	for i, v := range vshards {
		list[i] = int16(v)
	}
	return list
}

// instant is a time in UTC, zero for null.
func instant(t pgtype.Timestamptz) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return t.Time.UTC()
}

// verdict is what one statement said of one row of a batch.
type verdict int

const (
	settled verdict = iota // the result stands
	again                  // the row changed under the statement: ask again
	astray                 // this database does not own the vshard: read the route map
)

// lockSQL locks rows of holdings, whatever stands in them, in the order of their
// keys. The statement after it has a snapshot in which nobody else changes them, so
// it may find them by ctid: a join by key would read the whole index, as no plan by
// nested loops is allowed and an UPDATE or DELETE cannot be made of LATERAL look-ups.
const lockSQL = `
SELECT FROM (
	SELECT * FROM unnest($1::smallint[], $2::smallint[], $3::text[]) AS i (vshard, kind, key) ORDER BY vshard, kind, key
) i
CROSS JOIN LATERAL (SELECT FROM holdings h WHERE h.vshard = i.vshard AND h.kind = i.kind AND h.key = i.key FOR UPDATE) h`

// lock is the statement that locks the rows of places.
func (p *places) lock() statement {
	return statement{lockSQL, []any{p.vshards, p.kinds, p.keys}, drain}
}
