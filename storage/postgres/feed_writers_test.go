package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
)

// onServer is a registry of one database on a server of the test's own.
func onServer(t *testing.T, settings map[string]string) (*localpg.Server, postgres.Options) {
	t.Helper()
	own := pgtest.NewServer(t, settings, "own")
	o := postgres.Options{Fingerprint: fingerprint, Logger: logger(t)}
	o.Databases = []postgres.Database{{Name: "own", DSN: own.DSN("own")}}
	require.NoError(t, postgres.Migrate(t.Context(), o))
	return own, o
}

// 64 writers at once: half of them reserve and cancel, half write in transactions
// of every kind. A reader with nothing but its stored position reads each change
// once, and those of a key in order.
func TestTheFeedLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	_, o := onServer(t, nil)
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	f := follow(t, r)
	shared := make([]storage.ReserveRequest, 8)
	for i := range shared {
		shared[i] = request(freshName())
	}
	var writers sync.WaitGroup
	failures := make(chan error, 64)
	for i := range 32 {
		writers.Go(func() { failures <- reserveAndCancel(t.Context(), s, shared) })
		writers.Go(func() { failures <- writeRaw(t.Context(), o.Databases[0], uint64(i)) })
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	polls := 0
	for running := true; running; polls++ {
		select {
		case <-done:
			running = false
		default:
		}
		require.NoError(t, f.poll(t.Context(), r))
	}
	for range 64 {
		require.NoError(t, <-failures)
	}
	settlePrepared(t, o.Databases[0])
	require.NoError(t, f.poll(t.Context(), r))
	f.requireAll(t, o.Databases[0])
	f.requireKeysInOrder(t)
	require.Greater(t, len(f.read), 2000)
	require.Greater(t, polls, 10)
}

// reserveAndCancel fights for names with others that do the same.
func reserveAndCancel(ctx context.Context, s *postgres.Store, shared []storage.ReserveRequest) error {
	for range 40 {
		own := request(freshName())
		for _, req := range []storage.ReserveRequest{own, shared[rand.IntN(len(shared))]} {
			if _, err := s.Reserve(ctx, req); err != nil {
				return err
			}
		}
		for _, req := range []storage.ReserveRequest{own, shared[rand.IntN(len(shared))]} {
			if _, err := s.Cancel(ctx, req.Request); err != nil && err != storage.ErrNotFound {
				return err
			}
		}
	}
	return nil
}

// writeRaw writes as no gateway does: transactions with savepoints that are undone
// or kept, that get their xid long before they write, that are undone, prepared,
// or open for long.
func writeRaw(ctx context.Context, d postgres.Database, n uint64) error {
	conn, err := pgx.Connect(ctx, d.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	long, err := pgx.Connect(ctx, d.DSN)
	if err != nil {
		return err
	}
	defer long.Close(context.WithoutCancel(ctx))
	random := rand.New(rand.NewPCG(n, 2))
	if err := runAll(ctx, long, `BEGIN`, insertRow(n, "long")); err != nil {
		return err
	}
	for i := range 30 {
		if err := runAll(ctx, conn, rawTransaction(random, n, i)...); err != nil {
			return err
		}
	}
	return runAll(ctx, long, insertRow(n, "long, at its end"), `COMMIT`)
}

// rawTransaction makes up the statements of a transaction.
func rawTransaction(random *rand.Rand, n uint64, i int) []string {
	key := fmt.Sprintf("%d", i)
	sql := []string{`BEGIN`}
	if random.IntN(2) == 0 {
		sql = append(sql, `SELECT pg_current_xact_id(), pg_sleep(0.005 * random())`)
	}
	sql = append(sql, `SAVEPOINT a`, insertRow(n, key+" undone"), `ROLLBACK TO a`,
		`SAVEPOINT b`, insertRow(n, key+" kept"), `RELEASE b`, insertRow(n, key))
	end := []string{`COMMIT`, `COMMIT`, `COMMIT`, `ROLLBACK`}
	if i == 15 && n < 16 {
		end = []string{fmt.Sprintf(`PREPARE TRANSACTION '%d'`, n)}
	}
	return append(sql, end[random.IntN(len(end))])
}

func insertRow(n uint64, key string) string {
	return fmt.Sprintf(`INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
		VALUES ('TEST', '{1,1}', '{0,0}', '{1,1}', '{1,1}', '{1,1}', ARRAY['%d %s', '%[1]d'], '{"",""}')`, n, key)
}

func runAll(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// settlePrepared commits every other of the prepared transactions.
func settlePrepared(t testing.TB, d postgres.Database) {
	t.Helper()
	conn := connect(t, d)
	rows, err := conn.Query(t.Context(), `SELECT gid FROM pg_prepared_xacts WHERE database = current_database() ORDER BY gid`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for i, gid := range names {
		_, err := conn.Exec(t.Context(), []string{`COMMIT`, `ROLLBACK`}[i%2]+` PREPARED '`+gid+`'`)
		require.NoError(t, err)
	}
}
