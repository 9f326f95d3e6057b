package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// lookAtHolding looks whether an account holds what it does not list.
func (v *verifier) lookAtHolding(ctx context.Context, h verifiedHolding) (*finding, error) {
	before, err := v.holding(ctx, h.id())
	if err != nil || !h.same(before) {
		return nil, err
	}
	a, err := v.readAccount(ctx, h.Owner.String, storage.RequestID{})
	switch {
	case err != nil:
		return nil, err
	case a.pending != nil:
		return nil, errAgain
	case a.lists(h.id(), h.Grant):
		return nil, nil
	}
	after, err := v.holding(ctx, h.id())
	if err != nil || !h.same(after) {
		return nil, err
	}
	return newFinding(storage.NotListed, "%v, of account %s", &h, h.Owner.String), nil
}

// listed is the account's slot of an identifier by a grant; nil when there is none.
func (a *account) listed(id identifier.Identifier, grant pgtype.UUID) *slot {
	for i, s := range a.slots {
		if placeOf(s.id) == placeOf(id) && uuid(s.grant) == grant {
			return &a.slots[i]
		}
	}
	return nil
}

// lists says that the account has an identifier by a grant.
func (a *account) lists(id identifier.Identifier, grant pgtype.UUID) bool {
	return a.listed(id, grant) != nil
}

// lookAtSlot looks whether an account lists what it does not hold, or holds in another
// spelling: each act of a rename changes the account's version, or is pending for it.
func (v *verifier) lookAtSlot(ctx context.Context, s verifiedSlot) (*finding, error) {
	before, err := v.readAccount(ctx, s.Owner, storage.RequestID{})
	if err != nil {
		return nil, err
	}
	listed := before.listed(s.id(), s.Grant)
	if listed == nil {
		return nil, nil
	}
	h, err := v.holding(ctx, s.id())
	held := h != nil && h.active() && h.Owner.String == s.Owner && h.Grant == s.Grant
	if err != nil || held && h.spelling() == listed.id {
		return nil, err
	}
	after, err := v.readAccount(ctx, s.Owner, storage.RequestID{})
	switch {
	case err != nil:
		return nil, err
	case before.pending != nil || after.pending != nil || before.version != after.version:
		return nil, errAgain
	case held:
		return newFinding(storage.Misspelt, "%v", &s), nil
	}
	return v.dangles(ctx, s, h)
}

// maxDangling bounds the memory for what accounts list and do not hold.
const maxDangling = 100_000

// dangles says whether another account lists the same identifier.
func (v *verifier) dangles(ctx context.Context, s verifiedSlot, h *verifiedHolding) (*finding, error) {
	other := v.dangling[placeOf(s.id())]
	if h != nil && h.ownedActive() && h.Owner.String != s.Owner {
		a, err := v.readAccount(ctx, h.Owner.String, storage.RequestID{})
		if err != nil {
			return nil, err
		}
		if a.lists(h.id(), h.Grant) {
			other = h.Owner.String
		}
	}
	if other != "" && other != s.Owner {
		return newFinding(storage.ListedTwice, "%v, and of account %s", &s, other), nil
	}
	if len(v.dangling) < maxDangling {
		v.dangling[placeOf(s.id())] = s.Owner
	}
	return newFinding(storage.NotHeld, "%v", &s), nil
}

// oneHoldingSQL reads one row, as holdingPagesSQL does.
const oneHoldingSQL = `
SELECT ` + verifiedColumns + `
FROM holdings h WHERE h.vshard = $1::smallint AND h.kind = $2::smallint AND h.key = $3::text`

// holding reads the row of an identifier where it belongs; nil when there is none.
func (v *verifier) holding(ctx context.Context, id identifier.Identifier) (*verifiedHolding, error) {
	vshard := storage.VshardOf(id)
	d, err := v.routes.of(vshard)
	if err != nil {
		return nil, err
	}
	return v.holdingIn(ctx, d, int16(vshard), id)
}

func (v *verifier) holdingIn(ctx context.Context, d *database, vshard int16, id identifier.Identifier) (*verifiedHolding, error) {
	var list []verifiedHolding
	err := v.read(ctx, d, func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[verifiedHolding])
		return err
	}, oneHoldingSQL, vshard, int16(id.Kind()), id.Key())
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
