package faults_test

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// registry is two databases, and the secrets of the replicas on them.
type registry struct {
	dir       string
	dsns      map[string]string // by the databases' names
	staleness time.Duration
	vshards   map[string]string // the database of each vshard
}

// gossipKeys is the file of the fleet's keys.
const gossipKeys = "gossip-keys"

// newRegistry migrates new databases.
func newRegistry(t testing.TB, a, b string) *registry {
	t.Helper()
	g := &registry{dir: t.TempDir(), dsns: map[string]string{"a": a, "b": b}, staleness: bound(), vshards: map[string]string{}}
	for _, name := range []string{"identifier-secret", "token-keys", gossipKeys} {
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, name), []byte(rand.Text()+rand.Text()), 0o600))
	}
	g.run(t, "migrate", g.databases()...)
	for name, dsn := range g.dsns {
		for v := range strings.FieldsSeq(psql(t, dsn, `SELECT vshard FROM vshards WHERE state = 'OWNED'`)) {
			g.vshards[v] = name
		}
	}
	require.Len(t, g.vshards, vshards)
	return g
}

// sharedRegistry is one on the server of all tests.
func sharedRegistry(t testing.TB) *registry {
	t.Helper()
	return newRegistry(t, server.Database(t), server.Database(t))
}

// vshards is how many virtual shards a registry has.
const vshards = 1024

// databaseOf is the name of the database that has a name.
func (g *registry) databaseOf(name string) string {
	return g.vshards[fmt.Sprint(crc32.ChecksumIEEE([]byte(name))%vshards)]
}

// file is the path of a secret.
func (g *registry) file(name string) string { return filepath.Join(g.dir, name) }

// databases are the flags of the databases.
func (g *registry) databases() []string {
	flags := []string{"--identifier-secret-file", g.file("identifier-secret")}
	for name, dsn := range g.dsns {
		flags = append(flags, "--database", name+"="+dsn)
	}
	return flags
}

// run runs a command of the gateway to its end.
func (g *registry) run(t testing.TB, command string, args ...string) {
	t.Helper()
	g.runWith(t, "", command, args...)
}

// runWith runs one that reads its standard input.
func (g *registry) runWith(t testing.TB, input, command string, args ...string) {
	t.Helper()
	cmd := program(t, append([]string{command}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// program prepares the gateway. Variables of the caller's do not reach it.
func program(t testing.TB, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), *gateway, args...)
	dieWithTests(cmd)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "NAMEGATE_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// psql runs statements and gives the rows.
func psql(t testing.TB, dsn string, statements ...string) string {
	t.Helper()
	args := []string{"-XAtq", "-v", "ON_ERROR_STOP=1"}
	for _, s := range statements {
		args = append(args, "-c", s)
	}
	out, err := exec.Command("psql", append(args, dsn)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// freshName is a name that nobody has.
func freshName() string { return "n" + strings.ToLower(rand.Text()) }

func freshNames(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = freshName()
	}
	return names
}

// freshNamesIn are some that a database has.
func (g *registry) freshNamesIn(database string, count int) []string {
	var names []string
	for len(names) < count {
		if n := freshName(); g.databaseOf(n) == database {
			names = append(names, n)
		}
	}
	return names
}
