package app_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/bulk"
	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
)

type silent struct{}

func (silent) Refused(bulk.Refusal)  {}
func (silent) Progress(bulk.Summary) {}

// importInto imports into the embedded PostgreSQL of a folder.
func importInto(t *testing.T, dir, text string) bulk.Summary {
	t.Helper()
	opts := devOptions(t, dir)
	sum, err := app.Import(t.Context(), opts.Databases, opts.Logger, strings.NewReader(text), silent{})
	require.NoError(t, err)
	return sum
}

func TestADevReplica(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first := start(t, devOptions(t, dir))
	requireAllIsServed(t, first)
	granted := reserve(t, first, "Ada")
	require.Contains(t, granted, `"canonical":"ada"`)

	second, err := app.New(devOptions(t, dir))
	require.NoError(t, err)
	var inUse *localpg.InUseError
	require.ErrorAs(t, second.Start(t.Context()), &inUse, "one replica uses a folder at a time")

	require.Equal(t, bulk.Summary{Added: 1, Refused: 1}, importInto(t, dir, "grace\nada\n"), "beside the running replica")

	require.NoError(t, first.Stop(t.Context()))
	require.NoError(t, first.Stop(t.Context()), "it may be called again")
	_, err = localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning)

	require.Equal(t, bulk.Summary{Added: 1, Present: 1}, importInto(t, dir, "grace\nhopper\n"), "without any replica")
	_, err = localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning, "it is stopped again")

	third := start(t, devOptions(t, dir))
	require.Equal(t, granted, reserve(t, third, "Ada"), "the same request has the same answer, token included")
	require.Contains(t, check(t, third, "hopper"), `"TAKEN"`)
}

// requireAllIsServed tells a dev replica by what it serves, and where.
func requireAllIsServed(t *testing.T, r *app.Replica) {
	t.Helper()
	public, admin := "http://"+r.HTTPAddr(), "http://"+r.AdminAddr()

	for _, path := range []string{"/", "/playground", "/assets/page.js"} {
		status, _ := get(t, public+path)
		require.Equal(t, http.StatusOK, status, path)
	}
	status, _ := get(t, admin+"/livez")
	require.Equal(t, http.StatusOK, status)
	status, body := get(t, admin+"/readyz")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"ready": true, "status": "ready",
		"databases": [{"name": "namegate_a", "up": true}, {"name": "namegate_b", "up": true}]}`, body)
	status, _ = get(t, public+"/readyz")
	require.Equal(t, http.StatusNotFound, status, "probes have their own listener")
	require.Contains(t, query(t, r, "{ __schema { queryType { name } } }"), `"Query"`)
}

func TestAReplicaInProduction(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t, nil, "one", "two")
	opts := namedOptions(t, server.DSN("one"), server.DSN("two"))

	early, err := app.New(opts)
	require.NoError(t, err)
	require.ErrorContains(t, early.Start(t.Context()), "gateway migrate", "it never migrates by itself")
	l, err := net.Listen("tcp", early.HTTPAddr())
	require.NoError(t, err, "a start that failed leaves nothing behind")
	require.NoError(t, l.Close())

	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger), "safe to repeat")
	r := start(t, opts)
	require.Contains(t, check(t, r, "ada"), `"available":true`)
	require.NotContains(t, query(t, r, "{ __schema { queryType { name } } }"), `"Query"`)
	status, _ := get(t, "http://"+r.HTTPAddr()+"/playground")
	require.Equal(t, http.StatusNotFound, status)

	require.NoError(t, server.Kill())
	status, body := get(t, "http://"+r.AdminAddr()+"/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"ready": false, "status": "unavailable",
		"databases": [{"name": "db1", "up": false}, {"name": "db2", "up": false}]}`, body)
	answer := check(t, r, "ada")
	require.Contains(t, answer, `"UNAVAILABLE"`)
	require.NotContains(t, answer, server.SocketDir)

	require.NoError(t, server.Restart(t.Context()))
	require.Eventually(t, func() bool { return strings.Contains(check(t, r, "ada"), `"available":true`) },
		30*time.Second, 100*time.Millisecond, "it recovers without a restart")
}

func TestAnEmbeddedDatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := app.Migrate(t.Context(), app.Databases{DataDir: dir}, devOptions(t, dir).Logger)
	require.ErrorIs(t, err, localpg.ErrNoCluster)
	require.ErrorContains(t, err, "--database")
}

// Without the databases that it embeds a replica is of no use; the next start
// recovers them.
func TestAnEmbeddedDatabaseThatDiesEndsTheReplica(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := app.New(devOptions(t, dir))
	require.NoError(t, err)
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- r.Run(t.Context(), func() { close(started) }) }()
	<-started
	file, err := os.ReadFile(filepath.Join(dir, "pg", "data", "postmaster.pid"))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(file), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.ErrorContains(t, <-ended, "has ended by itself")
}
