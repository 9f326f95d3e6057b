package postgres

import (
	"context"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Rename moves an account from its username to another one.
func (s *Store) Rename(ctx context.Context, c storage.Change, to identifier.Identifier) (storage.Renamed, error) {
	holdings, err := s.change(ctx, c, func(a *account) (*saga, error) {
		switch {
		case to == identifier.Identifier{}:
			return nil, storage.ErrNotFound
		case len(a.of(identifier.Username)) == 0:
			return s.planReturn(ctx, c, a, to)
		}
		return s.planRename(c, a, to)
	})
	if err != nil {
		return storage.Renamed{}, err
	}
	renamed := storage.Renamed{Holding: holdings[0]}
	if len(holdings) > 1 {
		renamed.Former = &holdings[1]
	}
	return renamed, nil
}

// planRename takes the new name into the slot of the former one, which is protected.
func (s *Store) planRename(c storage.Change, a *account, to identifier.Identifier) (*saga, error) {
	now := a.of(identifier.Username)[0]
	g := newSaga(c, causeRename, a, s.terms)
	if now.id.Key() == to.Key() {
		respelled := slot{now.number, to, now.grant, now.since}
		g.respelled = &respelled
		return g, nil
	}
	if err := s.mayRename(a); err != nil {
		return nil, err
	}
	g.takes = []take{s.takeOf(to, now.number, storage.RequestID{})}
	g.leaves = []leave{{slot: now, act: actProtect}}
	g.counts = true
	g.former = append([]string{now.id.Key()}, withoutTaken(a.former, g.takes)...)
	if len(g.former) > storage.Redirects {
		g.former = g.former[:storage.Redirects]
	}
	return g, nil
}

// planReturn takes back a name that an account has given up and that is still
// protected for it. Should the protection end meanwhile, the name is anybody's to take.
// Where the account has it again, another request did that since the account was read.
func (s *Store) planReturn(ctx context.Context, c storage.Change, a *account, to identifier.Identifier) (*saga, error) {
	standing, err := s.Lookup(ctx, to)
	if err != nil {
		return nil, err
	}
	switch h := standing.Held; {
	case h == nil || h.Owner != c.Owner || h.State == storage.Reserved: // for one of its own changes
		return nil, storage.ErrNotOwner
	case h.State == storage.Active:
		return nil, errAgain
	}
	g := newSaga(c, causeRename, a, s.terms)
	g.takes = []take{s.takeOf(to, 0, storage.RequestID{})}
	g.former = withoutTaken(a.former, g.takes)
	return g, nil
}

// mayRename keeps renames apart, but for an account's first one.
func (s *Store) mayRename(a *account) error {
	allowedAt := a.renamed.Add(s.terms.RenameCooldown)
	if a.renames > 0 && a.now.Before(allowedAt) {
		return &storage.TooSoonError{AllowedAt: allowedAt}
	}
	return nil
}

// Redirect gives the present name of the account for which a former one is protected.
func (s *Store) Redirect(ctx context.Context, former identifier.Identifier) (storage.Holding, error) {
	standing, err := s.Lookup(ctx, former)
	if err != nil {
		return storage.Holding{}, err
	}
	if h := standing.Held; h != nil && h.State == storage.Protected && h.Owner != "" && !onlyBlocked(standing) {
		return s.redirectTo(ctx, h.Owner, former.Key())
	}
	return storage.Holding{}, storage.ErrNotFound
}

func (s *Store) redirectTo(ctx context.Context, owner, former string) (storage.Holding, error) {
	a, err := s.readAccount(ctx, owner, storage.RequestID{})
	if err != nil {
		return storage.Holding{}, err
	}
	for _, key := range a.former {
		if names := a.of(identifier.Username); key == former && len(names) > 0 {
			return names[0].holding(owner), nil
		}
	}
	return storage.Holding{}, storage.ErrNotFound
}
