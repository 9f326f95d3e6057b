package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// startPgbouncer starts a pooler in transaction mode, with fewer server
// connections than the stores open to it, and gives the databases as seen through it.
func startPgbouncer(t *testing.T, databases []postgres.Database) []postgres.Database {
	t.Helper()
	dir, err := os.MkdirTemp("", "namegate-bouncer-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var config bytes.Buffer
	fmt.Fprintln(&config, "[databases]")
	pooled := make([]postgres.Database, len(databases))
	for i, d := range databases {
		c, err := pgx.ParseConfig(d.DSN)
		require.NoError(t, err)
		fmt.Fprintf(&config, "%s = host=%s port=%d dbname=%s user=%s\n", d.Name, c.Host, c.Port, c.Database, c.User)
		pooled[i] = postgres.Database{Name: d.Name, DSN: fmt.Sprintf("host=%s port=6432 user=%s dbname=%s", dir, c.User, d.Name)}
	}
	fmt.Fprintf(&config, "[pgbouncer]\nlisten_port = 6432\nunix_socket_dir = %s\nauth_type = any\npool_mode = transaction\n"+
		"default_pool_size = 3\nmax_client_conn = 200\nserver_idle_timeout = 1\nlogfile = %s\n", dir, filepath.Join(dir, "log"))
	file := filepath.Join(dir, "pgbouncer.ini")
	require.NoError(t, os.WriteFile(file, config.Bytes(), 0o600))
	runPgbouncer(t, dir, file, pooled[0])
	return pooled
}

// runPgbouncer runs it until the test ends; it refuses to run as root.
func runPgbouncer(t *testing.T, dir, file string, first postgres.Database) {
	t.Helper()
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		path = "/usr/sbin/pgbouncer"
	}
	command := exec.Command(path, "-q", file)
	if os.Getuid() == 0 {
		uid, gid := account(t, "postgres")
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
		require.NoError(t, os.Chown(dir, int(uid), int(gid)))
		require.NoError(t, os.Chown(file, int(uid), int(gid)))
	}
	command.Stderr = t.Output()
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGINT)
		_ = command.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), first.DSN)
		if err != nil {
			return false
		}
		return conn.Close(context.Background()) == nil
	}, 10*time.Second, 20*time.Millisecond)
}

func account(t *testing.T, name string) (uid, gid uint32) {
	t.Helper()
	u, err := user.Lookup(name)
	require.NoError(t, err)
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	require.NoError(t, err)
	group, err := strconv.ParseUint(u.Gid, 10, 32)
	require.NoError(t, err)
	return uint32(id), uint32(group)
}
