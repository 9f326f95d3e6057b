package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// verifiedColumns are those of a verifiedHolding.
const verifiedColumns = `h.vshard, h.kind, h.key, h.state, h.blocked, h.grant_id, h.owner, h.canonical, h.display, ` + notSwept + `, ` + endless

const holdingPagesSQL = `
SELECT ` + verifiedColumns + `
FROM holdings h WHERE (h.vshard, h.kind, h.key) > ($1::smallint, $2::smallint, $3::text)
ORDER BY h.vshard, h.kind, h.key LIMIT $4`

// verifiedHolding is a row of holdingPagesSQL.
type verifiedHolding struct {
	Vshard, Kind       int16
	Key                string
	State              int16
	Blocked            bool
	Grant              pgtype.UUID
	Owner              pgtype.Text
	Canonical, Display pgtype.Text
	NotSwept, Endless  bool
}

func (h *verifiedHolding) id() identifier.Identifier {
	return identifier.Stored(identifier.Kind(h.Kind), h.Key, "", "")
}

// spelling is the identifier as people see it.
func (h *verifiedHolding) spelling() identifier.Identifier {
	return identifier.Stored(identifier.Kind(h.Kind), h.Key, h.Canonical.String, h.Display.String)
}

// String names the identifier, by its key.
func (h *verifiedHolding) String() string {
	return fmt.Sprintf("%v %s", identifier.Kind(h.Kind), h.Key)
}

// before is the order of the primary key.
func (h *verifiedHolding) before(other *verifiedHolding) bool {
	if h.Vshard != other.Vshard {
		return h.Vshard < other.Vshard
	}
	return h.Kind < other.Kind || h.Kind == other.Kind && h.Key < other.Key
}

func (h *verifiedHolding) active() bool { return storage.State(h.State) == storage.Active }

// ownedActive says that an account has the identifier.
func (h *verifiedHolding) ownedActive() bool { return h.active() && h.Owner.String != "" }

// same says that it is the row of the same tenure.
func (h *verifiedHolding) same(other *verifiedHolding) bool {
	return other != nil && h.Grant == other.Grant && h.State == other.State && h.Owner == other.Owner
}

// verifyHoldings goes through the holdings of all databases at once, in order, so
// that rows of one identifier meet.
func (v *verifier) verifyHoldings(ctx context.Context) error {
	streams := make([]*pages[verifiedHolding], len(v.databases))
	for i, d := range v.databases {
		streams[i] = &pages[verifiedHolding]{
			database: d, sql: holdingPagesSQL, first: []any{int16(-1 << 15), int16(-1 << 15), ""},
			after: func(h verifiedHolding) []any { return []any{h.Vshard, h.Kind, h.Key} },
		}
	}
	var owned []verifiedHolding
	for {
		h, in, err := v.nextHolding(ctx, streams)
		if err != nil {
			return err
		}
		if h == nil || len(owned) == verifySize {
			if err := v.verifyListed(ctx, owned); err != nil || h == nil {
				return err
			}
			owned = owned[:0]
		}
		v.result.Holdings++
		if err := v.verifyHolding(ctx, *h, in); err != nil {
			return err
		}
		if h.ownedActive() && len(in) > 0 {
			owned = append(owned, *h)
		}
	}
}

// nextHolding gives the next identifier, as the database says that answers for it,
// with the indexes of all databases that have a row and are no mover's source or target.
func (v *verifier) nextHolding(ctx context.Context, streams []*pages[verifiedHolding]) (next *verifiedHolding, in []int, err error) {
	heads := make([]*verifiedHolding, len(streams))
	for i, s := range streams {
		if heads[i], err = s.peek(ctx, v); err != nil {
			if err := v.miss(ctx, "holdings of database "+s.database.name, err); err != nil {
				return nil, nil, err
			}
		}
		if heads[i] != nil && (next == nil || heads[i].before(next)) {
			next = heads[i]
		}
	}
	if next == nil {
		return nil, nil, nil
	}
	first := *next
	for i, h := range heads {
		if h == nil || first.before(h) {
			continue
		}
		streams[i].next()
		if v.vshards.copies(i, h.Vshard) {
			continue
		}
		in = append(in, i)
		if len(in) == 1 || v.vshards.has(i, h.Vshard) {
			first = *h
		}
	}
	return &first, in, nil
}

// lookAtPlaces looks in all databases for rows under one primary key.
func (v *verifier) lookAtPlaces(ctx context.Context, h verifiedHolding) (*finding, error) {
	var in []string
	astray := storage.Vshard(h.Vshard) != storage.VshardOf(h.id())
	for i, d := range v.databases {
		row, err := v.holdingIn(ctx, d, h.Vshard, h.id())
		if err != nil {
			return nil, err
		}
		if row != nil && !v.vshards.copies(i, h.Vshard) {
			in = append(in, d.name)
			astray = astray || !v.vshards.has(i, h.Vshard)
		}
	}
	switch {
	case len(in) > 1:
		return newFinding(storage.HeldTwice, "%v: %s", &h, in), nil
	case len(in) == 1 && astray:
		return newFinding(storage.Astray, "%v, as of vshard %d, in database %s", &h, h.Vshard, in[0]), nil
	}
	return nil, nil
}
