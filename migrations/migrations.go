// Package migrations holds the numbered SQL that makes and changes the tables
// of every database, in order, forward only.
//
// A migration first expands (new tables and columns, which older gateways do not
// mind) and in a later release contracts. One whose first line is
// "-- compatible" may be applied while gateways of the release before still run.
package migrations

import "embed"

// Files are the migrations, named NNNN_what.sql.
//
//go:embed *.sql
var Files embed.FS
