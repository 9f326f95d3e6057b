package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// pointSQL records where the request of a back end ($4) is decided. It is the request's
// own record, found by the caller and its request id, whatever account is meant. An
// attempt points when it has begun, and marks as its own what an earlier one left: so
// what others take back in the meantime is never a record that it relies on. In the
// deciding database ($6) it does so only for a saga that has begun.
const pointSQL = `
INSERT INTO requests AS r (vshard, id, attempt, state, arguments, decided_in)
SELECT v.vshard, $2::uuid, $3::uuid, 1, $5::bytea, $1::smallint
FROM vshards v
WHERE v.vshard = $4::smallint AND v.state = 'OWNED' AND ` + isolated + ` AND (NOT $6::boolean OR EXISTS (` + stillBegun + `))
ON CONFLICT (vshard, id) DO UPDATE SET attempt = excluded.attempt, xid = pg_current_xact_id()
WHERE r.arguments = excluded.arguments AND r.decided_in = excluded.decided_in
RETURNING true`

// point is the statement that makes the request's own record; here says that the
// same transaction has begun the saga.
func (g *saga) point(here bool, pointed *bool) statement {
	return statement{pointSQL, append(g.key().columns(), int16(g.change.Request.Vshard), g.change.Arguments[:], here), scanOne(pointed)}
}

// forgetPointSQL takes back the request's own record as an attempt left it. In the
// transaction of the decision ($4) it does so only when that was not taken.
const forgetPointSQL = `
DELETE FROM requests r USING vshards v
WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.decided_in IS NOT NULL
	AND v.vshard = r.vshard AND v.state = 'OWNED' AND ` + isolated + `
	AND ($4::smallint IS NULL OR NOT EXISTS (SELECT FROM requests d WHERE d.vshard = $4 AND d.id = $2 AND d.attempt = $3 AND d.state = 2))`

// forgetPoint is the statement that takes back the record in the given vshard; here says
// that the same transaction may have decided the attempt.
func (a attempt) forgetPoint(v storage.Vshard, here bool) statement {
	decidedIn := pgtype.Int2{Int16: int16(a.decidedIn), Valid: here}
	return statement{forgetPointSQL, []any{int16(v), uuid(a.request), uuid(a.id), decidedIn}, drain}
}

// checkPoint fails when the request's own record, where that is another row than the
// decision, says that it was used for something else.
func (s *Store) checkPoint(ctx context.Context, c storage.Change) error {
	decidedIn := storage.VshardOfOwner(c.Owner)
	if c.Request.Vshard == decidedIn {
		return nil
	}
	d, err := s.readRequest(ctx, c.Request)
	if err != nil || d == nil || d.arguments == c.Arguments && d.decidedIn == decidedIn {
		return err
	}
	return s.dropPoint(ctx, c.Request, d)
}

// dropPoint takes back the record of a request that came to nothing, so that its id is
// free for something else. Should another attempt have begun, it has pointed since the
// record was read, or will.
func (s *Store) dropPoint(ctx context.Context, key storage.RequestKey, point *decision) error {
	if point.decidedIn < 0 {
		return storage.ErrRequestConflict
	}
	d, err := s.readRequest(ctx, storage.RequestKey{Vshard: point.decidedIn, ID: key.ID})
	switch {
	case err != nil:
		return err
	case d != nil && !(d.state == begun && d.overdue):
		return storage.ErrRequestConflict
	case d != nil:
		if decided, _, err := s.abandon(ctx, attempt{point.decidedIn, key.ID, d.attempt}); err != nil || decided {
			return againUnless(err)
		}
	}
	return againUnless(s.changeIn(ctx, key.Vshard, attempt{point.decidedIn, key.ID, point.attempt}.forgetPoint(key.Vshard, false)))
}
