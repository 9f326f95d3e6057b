package postgres

import (
	"context"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Reservation gives what a request won and still holds.
func (s *Store) Reservation(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	granted, err := s.granted(ctx, key)
	if err != nil {
		return nil, err
	}
	held := []storage.Holding{}
	for _, g := range granted {
		now, err := s.Lookup(ctx, g.Identifier)
		if err != nil {
			return nil, err
		}
		if now.Held != nil && now.Held.Grant == g.Grant && !onlyBlocked(now) {
			held = append(held, *now.Held)
		}
	}
	return held, nil
}

// Cancel gives back what a request holds. The record says so first: whoever
// confirms at the same time either sees that, or has laid an intent which is met
// here. Each name is freed by its grant, so that one which ran out and is
// another's by now is left alone.
func (s *Store) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	granted, err := s.granted(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := s.changeIn(ctx, key.Vshard, statement{cancelSQL, []any{int16(key.Vshard), uuid(key.ID)}, drain}); err != nil {
		return nil, againUnavailable(err)
	}
	var freed []storage.Holding
	for _, g := range granted {
		r, err := s.free(ctx, release{g.Identifier, g.Grant, storage.Reserved, causeCancel, ""})
		if err != nil {
			return nil, err
		}
		if r.freed {
			freed = append(freed, r.holding)
		}
	}
	if freed == nil {
		return nil, storage.ErrNotFound
	}
	return freed, nil
}

const cancelSQL = `
UPDATE requests r SET state = 3, xid = pg_current_xact_id()
FROM vshards v
WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.state = 2 AND r.owner IS NULL
	AND v.vshard = r.vshard AND v.state = 'OWNED' AND ` + isolated

// free releases one tenure, and settles the intent that it may meet there. Where it
// meets none it looks once more, as the intent may just have been undone.
func (s *Store) free(ctx context.Context, rel release) (releaseResult, error) {
	met := true
	for _, d := range pauses {
		if err := pauseAbout(ctx, d); err != nil {
			return releaseResult{}, err
		}
		r, err := s.release(ctx, rel)
		if err != nil || r.freed || !met {
			return r, err
		}
		if met, err = s.settleMet(ctx, rel.id); err != nil {
			return r, err
		}
	}
	return releaseResult{}, &storage.OverloadedError{RetryAfter: intentTTL}
}

// settleMet settles the intent beside an identifier, if it can; met says that there was one.
func (s *Store) settleMet(ctx context.Context, id identifier.Identifier) (met bool, err error) {
	in, err := s.readIntent(ctx, id)
	if err != nil || in == nil {
		return false, err
	}
	if _, err := s.settle(ctx, *in); err != nil && !tryAgain(err) {
		return true, err
	}
	return true, nil
}

const intentSQL = `
SELECT coalesce(v.state = 'OWNED', false), ` + intentColumns + `
FROM (SELECT $1::smallint AS vshard, $2::smallint AS kind, $3::text AS key) i
LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
LEFT JOIN LATERAL (
	SELECT x FROM holdings x WHERE x.vshard = i.vshard AND x.kind = i.kind AND x.key = i.key LIMIT 1
) x ON true`

// readIntent reads the intent beside a holding; nil when there is none.
func (s *Store) readIntent(ctx context.Context, id identifier.Identifier) (*intent, error) {
	v := storage.VshardOf(id)
	var row intentRow
	if err := s.readOwned(ctx, v, row.fields(), nothing, intentSQL, int16(v), int16(id.Kind()), id.Key()); err != nil {
		return nil, err
	}
	return row.intent(id), nil
}

// granted is what the record of a request says it was granted.
func (s *Store) granted(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	r, err := s.record(ctx, record{key: key})
	switch {
	case err != nil:
		return nil, err
	case !r.known:
		return nil, storage.ErrNotFound
	}
	return r.outcome.granted, nil
}
