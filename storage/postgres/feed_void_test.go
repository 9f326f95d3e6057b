package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
)

func ignore([]feed.Event) error { return nil }

// Xids are those of a server, so only other signs tell that a position is of
// another database, or of a history that the database is no longer in.
func TestPositionsOfAnotherHistory(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	readers := open(t, o).Feeds(time.Now)
	for _, d := range o.Databases {
		add(t, d, "before")
	}
	p, err := readers[0].Now(t.Context())
	require.NoError(t, err)
	requireVoid(t, readers[1], p, "another database")

	other, ahead := p, p
	other.Source.System++
	requireVoid(t, readers[0], other, "another server")
	ahead.Xmax += 1 << 30
	requireVoid(t, readers[0], ahead, "the server has been set back")

	_, err = readers[0].Poll(t.Context(), p, ignore)
	require.NoError(t, err)
	execute(t, o.Databases[0], `DELETE FROM feed`)
	requireVoid(t, readers[0], p, "the database has been set back")
}

// A copy of a database, be it a backup that takes its place, has its id and its
// server, but not what was committed since.
func TestPositionsInACopyOfTheirDatabase(t *testing.T) {
	t.Parallel()
	own, o := onServer(t, nil)
	add(t, o.Databases[0], "before")
	backup := o
	backup.Databases = []postgres.Database{{Name: "own", DSN: own.DSN("backup")}}
	copyDatabase(t, own.DSN("postgres"))

	r := feedOn(t, o)
	common, err := r.Now(t.Context())
	require.NoError(t, err)
	add(t, o.Databases[0], "after")
	later, err := r.Now(t.Context())
	require.NoError(t, err)

	copied := feedOn(t, backup)
	for range 3 {
		add(t, backup.Databases[0], "in the copy")
	}
	requireVoid(t, copied, later, "the database has been set back")
	f := from(t, common)
	require.NoError(t, f.poll(t.Context(), copied))
	require.Equal(t, []string{"in the copy", "in the copy", "in the copy"}, f.keys())
}

// copyDatabase copies the database own, to which nobody may be connected meanwhile.
func copyDatabase(t testing.TB, dsn string) {
	t.Helper()
	conn := connect(t, postgres.Database{DSN: dsn})
	require.Eventually(t, func() bool {
		_, _ = conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'own'`)
		_, err := conn.Exec(t.Context(), `CREATE DATABASE backup TEMPLATE own`)
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
}

// A server whose disk is put back to what it was gives xids out again, on the same
// timeline: under the xid of what was lost there is another change then.
func TestPositionsOnADiskThatWasPutBack(t *testing.T) {
	t.Parallel()
	own, o := onServer(t, nil)
	d := o.Databases[0]
	add(t, d, "before")
	folder := queryOne[string](t, d, `SHOW data_directory`)
	whileDown(t, own, "cp", "-a", folder, folder+".copy")
	r := feedOn(t, o)
	var lost []feed.Position
	for range 20 {
		add(t, d, "lost")
		p, err := r.Now(t.Context())
		require.NoError(t, err)
		lost = append(lost, p)
	}
	whileDown(t, own, "sh", "-c", `rm -r "$1" && mv "$1.copy" "$1"`, "sh", folder)
	r = feedOn(t, o)
	for last := lost[len(lost)-1].Newest().Xid; queryOne[uint64](t, d, `SELECT max(xid::text::bigint) FROM feed`) < last; {
		add(t, d, "kept")
	}
	again := 0
	for _, p := range lost {
		again += queryOne[int](t, d, fmt.Sprintf(`SELECT count(*) FROM feed WHERE xid = '%d'`, p.Newest().Xid))
		requireVoid(t, r, p, "the database has been set back")
	}
	require.NotZero(t, again, "xids that were given out again")
}

// whileDown runs a command while a server is not there.
func whileDown(t *testing.T, own *localpg.Server, name string, args ...string) {
	t.Helper()
	require.NoError(t, own.Kill())
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, own.Restart(t.Context()))
}

// A standby may lag, so it is not read, not even behind a pooler whose clients do
// not see servers change. When it is promoted, what it had not received is gone
// and xids go on from there, on another timeline.
func TestAPromotedStandby(t *testing.T) {
	t.Parallel()
	own := pgtest.NewServer(t, nil, "own")
	o := postgres.Options{Fingerprint: fingerprint, Logger: logger(t), QueryMode: postgres.PlainQueries}
	direct := postgres.Database{Name: "own", DSN: own.DSN("own")}
	o.Databases = startPgbouncer(t, []postgres.Database{direct})
	require.NoError(t, postgres.Migrate(t.Context(), o))
	r := feedOn(t, o)
	add(t, direct, "before")
	p, err := r.Now(t.Context())
	require.NoError(t, err)
	_, err = r.Poll(t.Context(), p, ignore)
	require.NoError(t, err)

	folder := queryOne[string](t, direct, `SHOW data_directory`)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "standby.signal"), nil, 0o644))
	restarted := make(chan error, 1)
	go func() { restarted <- own.Restart(context.WithoutCancel(t.Context())) }()
	require.Eventually(t, func() bool { return isStandby(t.Context(), direct) }, 30*time.Second, 10*time.Millisecond)
	_, err = r.Poll(t.Context(), p, ignore)
	requireUnavailable(t, err)
	require.ErrorContains(t, errors.Unwrap(err), "in recovery")
	execute(t, direct, `SELECT pg_promote()`)
	require.NoError(t, <-restarted)

	requireVoid(t, r, p, "another timeline")
	f := follow(t, r)
	add(t, direct, "after")
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"after"}, f.keys())
}

// isStandby says whether the server answers, and as a standby.
func isStandby(ctx context.Context, d postgres.Database) (recovering bool) {
	conn, err := pgx.Connect(ctx, d.DSN)
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&recovering) == nil && recovering
}
