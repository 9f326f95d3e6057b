package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// ownership is what one reading of a database's vshards said. It counts as long
// as the table has the tag, which any change makes anew: so a statement compares
// one tag instead of looking at the table for each row of a batch. A counter would
// not do, as it may stand at the same number in a database restored from a backup.
type ownership struct {
	tag   pgtype.UUID
	epoch [storage.Vshards]int64 // zero unless OWNED
}

// Fragments of a statement that gets an ownership's tag as $1, and with each row i
// the epoch that it says the row's vshard is owned at, or zero. The table is looked
// at only for rows without an epoch, and for all when its tag is another one.
const (
	knownTag  = `known AS MATERIALIZED (SELECT coalesce(vshards_tag = $1, false) AS known FROM identity)`
	isKnown   = `(SELECT known FROM known)`
	vshardNow = `LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE (i.epoch = 0 OR NOT ` + isKnown + `) AND o.vshard = i.vshard LIMIT 1) v ON true`
	stateNow  = `coalesce(v.state, CASE WHEN i.epoch > 0 AND ` + isKnown + ` THEN 'OWNED' ELSE '' END)`
	epochNow  = `coalesce(v.epoch, i.epoch)`
)

// recordHere is the record, or nil where its vshard is not owned: the statement
// then leaves it for another one.
func (o *ownership) recordHere(r *record) *record {
	if r != nil && o.epoch[r.key.Vshard] == 0 {
		return nil
	}
	return r
}

// readClaims reads the vshards table, and remembers what the database owns.
func (d *database) readClaims(ctx context.Context) ([]claim, error) {
	d.outdated.Store(false)
	rows, _ := d.pool.Query(ctx, `SELECT vshard, state, epoch, move_id, vshards_tag FROM vshards, identity`)
	claims, err := pgx.CollectRows(rows, pgx.RowToStructByPos[claim])
	if err != nil {
		return nil, err
	}
	var o ownership
	for _, c := range claims {
		o.tag = uuid(c.Tag)
		if c.State == owned {
			o.epoch[c.Vshard] = c.Epoch
		}
	}
	d.ownership.Store(&o)
	return claims, nil
}

// note has the vshards read again soon when a batch found that they have changed.
func (d *database) note(known bool) {
	if !known {
		d.outdated.Store(true)
	}
}
