package postgres

import (
	"context"

	"namegate/storage"
)

// attempt names one attempt at the saga of a request.
type attempt struct {
	decidedIn storage.Vshard
	request   storage.RequestID
	id        [16]byte // random, so that it never comes back
}

// columns are the first parameters of every statement about an attempt.
func (a attempt) columns() []any { return []any{int16(a.decidedIn), uuid(a.request), uuid(a.id)} }

// stillBegun finds the decision of attempt $3 of request $2 in vshard $1 undecided.
const stillBegun = `SELECT FROM requests r WHERE r.vshard = $1 AND r.id = $2 AND r.attempt = $3 AND r.state = 1`

// forgetSQL takes back what an attempt began and did not decide.
const forgetSQL = `
DELETE FROM requests r USING vshards v
WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.state = 1 AND r.decided_in IS NULL
	AND v.vshard = r.vshard AND v.state = 'OWNED' AND ` + isolated + `
RETURNING true`

// forget is the statement that gives the attempt up, unless it is decided or given up.
func (a attempt) forget(forgotten *bool) statement {
	return statement{forgetSQL, a.columns(), scanOne(forgotten)}
}

// isDecidedSQL says whether an attempt was decided.
const isDecidedSQL = `SELECT true FROM requests r WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.state = 2`

// isDecided is the statement that asks whether the attempt was decided.
func (a attempt) isDecided(yes *bool) statement {
	return statement{isDecidedSQL, a.columns(), scanOne(yes)}
}

// abandon makes sure that an attempt, of any replica's, is never decided; decided says
// that it is too late for that, forgotten that the attempt has not been given up before.
func (s *Store) abandon(ctx context.Context, a attempt) (decided, forgotten bool, err error) {
	err = s.changeIn(ctx, a.decidedIn, a.forget(&forgotten), a.isDecided(&decided))
	return decided, forgotten, err
}
