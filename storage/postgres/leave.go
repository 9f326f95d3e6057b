package postgres

import (
	"context"
	"slices"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Release gives up one identifier of an account, or all.
func (s *Store) Release(ctx context.Context, c storage.Change, ids ...identifier.Identifier) ([]storage.Holding, error) {
	return s.change(ctx, c, func(a *account) (*saga, error) { return s.planRelease(c, a, ids) })
}

// planRelease protects usernames and frees the others.
func (s *Store) planRelease(c storage.Change, a *account, ids []identifier.Identifier) (*saga, error) {
	leaving := a.slots
	if len(ids) > 0 {
		leaving = slices.DeleteFunc(slices.Clone(a.slots), func(s slot) bool {
			return !slices.ContainsFunc(ids, func(id identifier.Identifier) bool { return placeOf(id) == placeOf(s.id) })
		})
		if len(leaving) < len(ids) {
			return nil, storage.ErrNotOwner
		}
	}
	g := newSaga(c, causeRelease, a, s.terms)
	for _, l := range leaving {
		act := actRelease
		if l.id.Kind() == identifier.Username {
			act = actProtect
		}
		g.leaves = append(g.leaves, leave{slot: l, act: act, vacates: true})
	}
	return g, nil
}
