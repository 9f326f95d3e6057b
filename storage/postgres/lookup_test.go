package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// A server may take the snapshot of a read long before it executes it. What is committed
// in between is not seen, so the read must not say that it is of a later time.
func TestNoReadIsDatedAfterItsSnapshot(t *testing.T) {
	t.Parallel()
	d := migrated(t, 1).Databases[0]
	name := nameIn(0)
	conn := connect(t, d).PgConn()
	server := conn.Frontend()
	parameters := [][]byte{fmt.Appendf(nil, "{%d}", storage.VshardOf(name)), []byte("{1}"), fmt.Appendf(nil, "{%s}", name.Key())}
	server.SendParse(&pgproto3.Parse{Query: postgres.PlannedStatements()["lookup"].SQL})
	server.SendBind(&pgproto3.Bind{Parameters: parameters})
	server.Send(&pgproto3.Flush{})
	require.NoError(t, server.Flush())
	await[*pgproto3.BindComplete](t, server)

	execute(t, d, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, canonical, display)
		VALUES ($1, 1, 2, now(), gen_random_uuid(), $2, $2, $2)`, int16(storage.VshardOf(name)), name.Key())
	committed := queryOne[string](t, d, `SELECT clock_timestamp()::text`)

	server.SendExecute(&pgproto3.Execute{})
	server.SendSync(&pgproto3.Sync{})
	require.NoError(t, server.Flush())
	row := await[*pgproto3.DataRow](t, server)
	require.Equal(t, "f", string(row.Values[5]), "it is not seen")
	require.True(t, queryOne[bool](t, d, `SELECT $1::timestamptz < $2::timestamptz`, string(row.Values[2]), committed), "as of %s, committed by %s", row.Values[2], committed)
}

// await gives the next message of a sort.
func await[M pgproto3.BackendMessage](t *testing.T, server *pgproto3.Frontend) M {
	t.Helper()
	for {
		message, err := server.Receive()
		require.NoError(t, err)
		if failed, is := message.(*pgproto3.ErrorResponse); is {
			require.Fail(t, failed.Message)
		}
		if m, is := message.(M); is {
			return m
		}
	}
}
