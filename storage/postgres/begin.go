package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// beginSQL records that a saga has begun, in the vshard where it is decided, unless
// its request has a record there. Where the request's own record is another row
// that is in this database, too ($6), that row must name this decision. An attempt
// that has no row is given up, and its decision can never come to be.
const beginSQL = `
INSERT INTO requests (vshard, id, attempt, state, arguments, owner)
SELECT v.vshard, $2::uuid, $3::uuid, 1, $4::bytea, $5::text
FROM vshards v
WHERE v.vshard = $1::smallint AND v.state = 'OWNED' AND ` + isolated + `
	AND (NOT $6::boolean OR EXISTS (SELECT FROM requests p WHERE p.vshard = $7::smallint AND p.id = $2 AND p.arguments = $4 AND p.decided_in = $1))
ON CONFLICT DO NOTHING
RETURNING true`

// pointSQL records where the request of a back end is decided. It is the request's
// own record, found by the caller and its request id, whatever account is meant.
const pointSQL = `
INSERT INTO requests (vshard, id, attempt, state, arguments, decided_in)
SELECT v.vshard, $2::uuid, $3::uuid, 1, $4::bytea, $5::smallint
FROM vshards v
WHERE v.vshard = $1::smallint AND v.state = 'OWNED' AND ` + isolated + `
ON CONFLICT DO NOTHING`

// forgetSQL takes back what an attempt began and did not decide.
const forgetSQL = `
DELETE FROM requests r USING vshards v
WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.state = 1 AND r.decided_in IS NULL
	AND v.vshard = r.vshard AND v.state = 'OWNED' AND ` + isolated

// begin is the statement that begins the saga; pointed says that the request's own
// record is another row of the same database.
func (g *saga) begin(pointed bool, begun *bool) statement {
	args := append(g.decisionKey(), g.change.Arguments[:], g.change.Owner, pointed, int16(g.change.Request.Vshard))
	return statement{beginSQL, args, scanOne(begun)}
}

// point is the statement that makes the request's own record.
func (g *saga) point() statement {
	return statement{pointSQL, []any{
		int16(g.change.Request.Vshard), uuid(g.change.Request.ID), uuid(g.attempt), g.change.Arguments[:], int16(g.decidedIn()),
	}, drain}
}

// forgetPointSQL takes back the request's own record, if this attempt made it. In
// the transaction of the decision ($4) it does so only when that was not taken.
const forgetPointSQL = `
DELETE FROM requests r USING vshards v
WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.decided_in IS NOT NULL
	AND v.vshard = r.vshard AND v.state = 'OWNED' AND ` + isolated + `
	AND ($4::smallint IS NULL OR NOT EXISTS (SELECT FROM requests d WHERE d.vshard = $4 AND d.id = $2 AND d.state = 2))`

// isDecidedSQL says whether an attempt was decided.
const isDecidedSQL = `SELECT true FROM requests r WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.state = 2`

// forget is the statement that gives the attempt up, unless it is decided.
func (g *saga) forget() statement { return statement{forgetSQL, g.decisionKey(), drain} }

// forgetPoint is the statement that takes back the request's own record; here says
// that the same transaction may have decided the attempt.
func (g *saga) forgetPoint(here bool) statement {
	decidedIn := pgtype.Int2{Int16: int16(g.decidedIn()), Valid: here}
	return statement{forgetPointSQL, []any{int16(g.change.Request.Vshard), uuid(g.change.Request.ID), uuid(g.attempt), decidedIn}, drain}
}

// isDecided is the statement that asks whether the attempt was decided.
func (g *saga) isDecided(yes *bool) statement {
	return statement{isDecidedSQL, g.decisionKey(), scanOne(yes)}
}

// scanOne reads one value, or leaves it as it is where there is no row.
func scanOne[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{into}, func() error { return nil })
		return err
	}
}

// drain reads a result without rows.
func drain(rows pgx.Rows) error {
	rows.Close()
	return rows.Err()
}
