package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Each ACTIVE holding of an account is matched with a slot, and each slot with such
// a holding. They are written in different databases, so each match that fails is
// looked at again: what stands in between two readings of an account that found it
// unchanged, and nothing pending, must match.
const (
	possessions = `unnest($1::smallint[], $2::text[], $3::smallint[], $4::text[], $5::uuid[], $6::text[], $7::text[])
	WITH ORDINALITY AS i (vshard, owner, kind, key, grant_id, canonical, display, n)`
	// listedSQL finds which holdings are listed in the accounts' slots, in any spelling.
	listedSQL = `
SELECT i.n
FROM ` + possessions + `
CROSS JOIN LATERAL (
	SELECT FROM slots s
	WHERE s.vshard = i.vshard AND s.owner = i.owner AND s.kind = i.kind AND s.key = i.key AND s.grant_id = i.grant_id LIMIT 1
) s`
	// heldSQL finds which slots have their holding, in the spelling of the slot.
	heldSQL = `
SELECT i.n
FROM ` + possessions + `
CROSS JOIN LATERAL (
	SELECT FROM holdings h
	WHERE h.vshard = i.vshard AND h.kind = i.kind AND h.key = i.key AND h.state = 2 AND h.owner = i.owner AND h.grant_id = i.grant_id
		AND coalesce(h.canonical, '') = i.canonical AND coalesce(h.display, '') = i.display LIMIT 1
) h`
)

// possession is an identifier that an account has, as one side says.
type possession struct {
	owner string
	id    identifier.Identifier
	grant pgtype.UUID
}

// unmatched gives the indexes of possessions that the other side does not say, which
// stands in the vshards that of gives.
func (v *verifier) unmatched(ctx context.Context, sql string, list []possession, of func(possession) storage.Vshard) ([]int, error) {
	parts := map[*database][]int{}
	for i, p := range list {
		d, err := v.routes.of(of(p))
		if err != nil {
			if err := v.miss(ctx, "accounts and holdings", err); err != nil {
				return nil, err
			}
			continue
		}
		parts[d] = append(parts[d], i)
	}
	var left []int
	for d, part := range parts {
		matched, err := v.matched(ctx, d, sql, list, part, of)
		if err != nil {
			if err := v.miss(ctx, "accounts and holdings of database "+d.name, err); err != nil {
				return nil, err
			}
			continue
		}
		left = append(left, slices.DeleteFunc(slices.Clone(part), func(i int) bool { return matched[i] })...)
	}
	return left, nil
}

func (v *verifier) matched(
	ctx context.Context, d *database, sql string, list []possession, part []int, of func(possession) storage.Vshard,
) (map[int]bool, error) {
	n := len(part)
	vshards, kinds, grants := make([]int16, n), make([]int16, n), make([]pgtype.UUID, n)
	owners, keys, canonicals, displays := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, at := range part {
		p := list[at]
		vshards[i], owners[i], kinds[i], keys[i], grants[i] = int16(of(p)), p.owner, int16(p.id.Kind()), p.id.Key(), p.grant
		canonicals[i], displays[i] = p.id.Canonical(), p.id.Display()
	}
	matched := make(map[int]bool, n)
	err := v.read(ctx, d, func(rows pgx.Rows) error {
		var i int
		_, err := pgx.ForEachRow(rows, []any{&i}, func() error { matched[part[i-1]] = true; return nil })
		return err
	}, sql, vshards, owners, kinds, keys, grants, canonicals, displays)
	return matched, err
}

// verifyListed suspects holdings that their accounts do not list.
func (v *verifier) verifyListed(ctx context.Context, list []verifiedHolding) error {
	possessions := make([]possession, len(list))
	for i := range list {
		possessions[i] = possession{list[i].Owner.String, list[i].id(), list[i].Grant}
	}
	left, err := v.unmatched(ctx, listedSQL, possessions, func(p possession) storage.Vshard { return storage.VshardOfOwner(p.owner) })
	if err != nil {
		return err
	}
	for _, i := range left {
		h := list[i]
		if err := v.suspect(ctx, h.String(), func(ctx context.Context) (*finding, error) { return v.lookAtHolding(ctx, h) }); err != nil {
			return err
		}
	}
	return nil
}

// verifyHeld suspects slots without their holdings.
func (v *verifier) verifyHeld(ctx context.Context, list []verifiedSlot) error {
	possessions := make([]possession, len(list))
	for i := range list {
		possessions[i] = possession{list[i].Owner, list[i].id(), list[i].Grant}
	}
	left, err := v.unmatched(ctx, heldSQL, possessions, func(p possession) storage.Vshard { return storage.VshardOf(p.id) })
	if err != nil {
		return err
	}
	for _, i := range left {
		s := list[i]
		if err := v.suspect(ctx, s.String(), func(ctx context.Context) (*finding, error) { return v.lookAtSlot(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}
