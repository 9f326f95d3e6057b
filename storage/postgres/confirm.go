package postgres

import (
	"context"
	"slices"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Confirm gives an account what a reservation holds.
func (s *Store) Confirm(ctx context.Context, c storage.Change, reservation storage.RequestKey) ([]storage.Holding, error) {
	return s.change(ctx, c, func(a *account) (*saga, error) {
		granted, err := s.reserved(ctx, reservation)
		if err != nil {
			return nil, err
		}
		return s.planConfirm(c, a, reservation, granted)
	})
}

// reserved is what a reservation was granted, unless it was cancelled.
func (s *Store) reserved(ctx context.Context, reservation storage.RequestKey) ([]storage.Holding, error) {
	d, err := s.readRequest(ctx, reservation)
	switch {
	case err != nil:
		return nil, err
	case d == nil || d.state != committed:
		return nil, storage.ErrNotFound
	}
	return decodeGranted(d.granted, d.since, d.expireAt)
}

// notCancelled fails with storage.ErrNotFound when the saga's reservation has been
// cancelled. It is asked when the intents lie there: from then on a cancel meets
// them, and waits.
func (s *Store) notCancelled(ctx context.Context, g *saga) error {
	if g.reservation == nil {
		return nil
	}
	_, err := s.reserved(ctx, *g.reservation)
	return err
}

// planConfirm takes each identifier that the account does not have yet, into a slot
// of its own.
func (s *Store) planConfirm(c storage.Change, a *account, reservation storage.RequestKey, granted []storage.Holding) (*saga, error) {
	g := newSaga(c, causeConfirm, a, s.terms)
	g.reservation = &reservation
	for _, h := range granted {
		have := a.of(h.Identifier.Kind())
		if i := slices.IndexFunc(have, func(s slot) bool { return s.id.Key() == h.Identifier.Key() }); i >= 0 {
			g.kept = append(g.kept, have[i])
			continue
		}
		number, err := s.freeSlot(h.Identifier.Kind(), have)
		if err != nil {
			return nil, err
		}
		g.takes = append(g.takes, s.takeOf(h.Identifier, number, reservation.ID))
	}
	g.former = withoutTaken(a.former, g.takes)
	return g, nil
}

// freeSlot is the first slot of a kind that an account may still fill.
func (s *Store) freeSlot(kind identifier.Kind, have []slot) (int16, error) {
	limit := s.terms.Limits[kind]
	for number := range int16(limit) {
		if !slices.ContainsFunc(have, func(s slot) bool { return s.number == number }) {
			return number, nil
		}
	}
	return 0, &storage.LimitError{Limit: limit}
}

// withoutTaken are the former names that redirect after some names were taken back.
func withoutTaken(former []string, takes []take) []string {
	return slices.DeleteFunc(slices.Clone(former), func(key string) bool {
		return slices.ContainsFunc(takes, func(t take) bool { return t.id.Kind() == identifier.Username && t.id.Key() == key })
	})
}
