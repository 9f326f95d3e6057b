package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// maintenance is the database for statements on the server as a whole.
const maintenance = "postgres"

// psql runs one statement in a database and gives what it printed.
func (l *lab) psql(ctx context.Context, database, statement string) (string, error) {
	return runTool(ctx, "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1",
		"--command="+statement, "--dbname="+l.server.DSN(database))
}

// runTool runs a program of PostgreSQL and gives what it printed; an error quotes it.
func runTool(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = environment()
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w: %s", name, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// checkpoint has all that was written so far on disk.
func (l *lab) checkpoint(ctx context.Context) error {
	_, err := l.psql(ctx, maintenance, "CHECKPOINT")
	return err
}

// walPosition is the end of the write-ahead log of the whole server, in bytes.
func (l *lab) walPosition(ctx context.Context) (int64, error) {
	out, err := l.psql(ctx, maintenance, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(out, 10, 64)
}
