package postgres

// beginSQL records that a saga has begun, in the vshard where it is decided, unless
// its request has a record there. An attempt that has no row is given up, and its
// decision can never come to be.
const beginSQL = `
INSERT INTO requests (vshard, id, attempt, state, arguments, owner)
SELECT v.vshard, $2::uuid, $3::uuid, 1, $4::bytea, $5::text
FROM vshards v
WHERE v.vshard = $1::smallint AND v.state = 'OWNED' AND ` + isolated + `
ON CONFLICT DO NOTHING
RETURNING true`

// begin is the statement that begins the saga.
func (g *saga) begin(begun *bool) statement {
	return statement{beginSQL, append(g.key().columns(), g.change.Arguments[:], g.change.Owner), scanOne(begun)}
}
