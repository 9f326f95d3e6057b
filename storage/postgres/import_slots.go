package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// A slot of an import is the first one, and is taken only by an owner without one.
const (
	slotsSQL = `
SELECT i.n, s.key
FROM unnest($1::smallint[], $2::smallint[], $3::text[]) WITH ORDINALITY AS i (vshard, kind, owner, n)
JOIN LATERAL (
	SELECT key FROM slots s WHERE s.vshard = i.vshard AND s.owner = i.owner AND s.kind = i.kind LIMIT 1
) s ON true`
	takeSlotsSQL = `
WITH counted AS (
	INSERT INTO accounts (vshard, owner)
	SELECT i.vshard, i.owner
	FROM unnest($1::smallint[], $3::text[]) AS i (vshard, owner)
	JOIN vshards v ON v.vshard = i.vshard AND v.state = 'OWNED' AND ` + isolated + `
	ORDER BY i.vshard, i.owner
	ON CONFLICT (vshard, owner) DO UPDATE SET version = accounts.version + 1, xid = pg_current_xact_id()
	RETURNING vshard, owner
)
INSERT INTO slots (vshard, kind, slot, owner, key, grant_id, canonical, display)
SELECT vshard, i.kind, 0, owner, i.key, i.grant_id, i.canonical, i.display
FROM unnest($1::smallint[], $2::smallint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[])
	AS i (vshard, kind, owner, key, grant_id, canonical, display)
JOIN counted USING (vshard, owner)
ORDER BY vshard, owner, i.kind
ON CONFLICT DO NOTHING`
)

// refuseSecondNames refuses lines whose owner has another name already. A name that such an
// owner nevertheless holds was left by an import that broke off, and is given back.
func (p *importing) refuseSecondNames(ctx context.Context) error {
	var second []int
	err := p.eachOwner(ctx, func(d *database, group []int, c slotColumns) (verdict, error) {
		return settled, d.read(ctx, p.refuseOthers(group, &second), slotsSQL, c.vshards, c.kinds, c.owners)
	})
	for _, i := range second {
		if err == nil {
			err = p.giveBack(ctx, p.lines[i])
		}
	}
	return err
}

// giveBack frees a name that its owner holds and does not list, unless that is about to
// change.
func (p *importing) giveBack(ctx context.Context, l storage.ImportLine) error {
	before, err := p.heldBy(ctx, l)
	if err != nil || before == nil {
		return err
	}
	if err := p.store.finish(ctx, l.Owner); err != nil {
		return err
	}
	a, err := p.store.readAccount(ctx, l.Owner, storage.RequestID{})
	if err != nil || a.pending != nil || a.lists(l.Identifier, uuid(before.Grant)) {
		return err
	}
	after, err := p.heldBy(ctx, l)
	if err != nil || after == nil || after.Grant != before.Grant {
		return err
	}
	_, err = p.store.release(ctx, release{l.Identifier, before.Grant, storage.Active, causeCancel, "import"})
	return err
}

// heldBy is the holding of a line's name if its owner has it.
func (p *importing) heldBy(ctx context.Context, l storage.ImportLine) (*storage.Holding, error) {
	standing, err := p.store.Lookup(ctx, l.Identifier)
	if h := standing.Held; err != nil || h == nil || h.State != storage.Active || h.Owner != l.Owner {
		return nil, err
	}
	return standing.Held, nil
}

func (p *importing) refuseOthers(group []int, second *[]int) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var n int
		var key string
		_, err := pgx.ForEachRow(rows, []any{&n, &key}, func() error {
			if i := group[n-1]; key != p.lines[i].Identifier.Key() {
				p.refuse(i, "the owner has another name: %s", key)
				*second = append(*second, i)
			}
			return nil
		})
		return err
	}
}

// writeSlots lists the names with their owners. A sign-up that took the owner's
// slot since it was read keeps it, and the line's name is given back.
func (p *importing) writeSlots(ctx context.Context) error {
	err := p.eachOwner(ctx, func(d *database, _ []int, c slotColumns) (verdict, error) {
		return d.change(ctx, c.owned, statement{takeSlotsSQL, []any{c.vshards, c.kinds, c.owners, c.keys, c.grants, c.canonicals, c.displays}, drain})
	})
	if err != nil {
		return err
	}
	if err := p.refuseSecondNames(ctx); err != nil {
		return err
	}
	for i := range p.lines {
		if p.outcomes[i].Refused != "" {
			p.outcomes[i].Added = false // it was given back
		}
	}
	return nil
}

// slotColumns are the parameters of the statements on slots.
type slotColumns struct {
	owned          []storage.Vshard
	vshards, kinds []int16
	owners, keys   []string
	grants         []pgtype.UUID

	canonicals, displays []string
}

// eachOwner calls do for each database with its lines that have an owner, again where a
// vshard has moved.
func (p *importing) eachOwner(ctx context.Context, do func(*database, []int, slotColumns) (verdict, error)) error {
	for range importTries {
		asked := time.Now()
		groups, err := p.open(p.owned)
		if err != nil {
			return err
		}
		worst := settled
		for d, group := range groups {
			var said verdict
			err := persist(ctx, func() (err error) { said, err = do(d, group, p.slotColumns(group)); return err })
			if err != nil {
				return err
			}
			worst = max(worst, said)
		}
		if worst == settled {
			return nil
		}
		p.store.refresh(ctx, asked)
	}
	return &storage.UnavailableError{RetryAfter: retryAfter, Cause: errNotOwned}
}

func (p *importing) slotColumns(group []int) (c slotColumns) {
	for _, i := range group {
		l := p.lines[i]
		v := storage.VshardOfOwner(l.Owner)
		c.owned, c.vshards, c.kinds = append(c.owned, v), append(c.vshards, int16(v)), append(c.kinds, int16(l.Identifier.Kind()))
		c.owners, c.keys = append(c.owners, l.Owner), append(c.keys, l.Identifier.Key())
		c.grants = append(c.grants, uuid(p.holdings[i].Grant))
		c.canonicals, c.displays = append(c.canonicals, l.Identifier.Canonical()), append(c.displays, l.Identifier.Display())
	}
	return c
}
