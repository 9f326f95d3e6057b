package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The table and the script of pgbench: one row in one statement, under a random
// text key as long as a username.
const (
	upsertTable  = `CREATE TABLE upserts (k text COLLATE "C" PRIMARY KEY, n integer NOT NULL)`
	upsertScript = "\\set n random(10000000, 99999999)\n" +
		"INSERT INTO upserts (k, n) VALUES ('ada.' || :n, 1) ON CONFLICT (k) DO UPDATE SET n = upserts.n + 1;\n"
)

// pgbench is the unit for what writes: transactions of so many statements.
func (l *lab) pgbench(rows int) work {
	database := fmt.Sprintf("pgbench_%d", rows)
	script := func() string { return filepath.Join(l.dir, database+".sql") }
	made := false
	prepare := func(ctx context.Context) error {
		if made {
			_, err := l.psql(ctx, database, "TRUNCATE upserts")
			return err
		}
		made = true
		if err := l.server.CreateDatabase(ctx, database); err != nil {
			return err
		}
		if _, err := l.psql(ctx, database, upsertTable); err != nil {
			return err
		}
		return os.WriteFile(script(), []byte(upserts(rows)), 0o600)
	}
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		out, err := runTool(ctx, "pgbench", "--no-vacuum", "--protocol=prepared", "--client=32", "--jobs=2",
			fmt.Sprintf("--time=%d", int(length.Seconds())), "--file="+script(), l.server.DSN(database))
		if err != nil {
			return sample{}, err
		}
		return parsePgbench(out)
	}
	name := "pgbench, 32 clients: `INSERT … ON CONFLICT (k) DO UPDATE` of one row"
	if rows > 1 {
		name += fmt.Sprintf(", %d in a transaction", rows)
	}
	return work{name, prepare, run}
}

// upserts is the script of one transaction.
func upserts(rows int) string {
	if rows == 1 {
		return upsertScript
	}
	return "BEGIN;\n" + strings.Repeat(upsertScript, rows) + "END;\n"
}

var (
	pgbenchCalls    = regexp.MustCompile(`(?m)^number of transactions actually processed: (\d+)`)
	pgbenchRate     = regexp.MustCompile(`(?m)^tps = ([\d.]+)`) // without the time to connect
	pgbenchFailures = regexp.MustCompile(`(?m)^number of failed transactions: [1-9].*`)
)

func parsePgbench(out string) (sample, error) {
	calls, rate := pgbenchCalls.FindStringSubmatch(out), pgbenchRate.FindStringSubmatch(out)
	if calls == nil || rate == nil || pgbenchFailures.MatchString(out) {
		return sample{}, fmt.Errorf("pgbench printed: %s", out)
	}
	var s sample
	var err error
	if s.calls, err = strconv.Atoi(calls[1]); err != nil {
		return s, err
	}
	s.rate, err = strconv.ParseFloat(rate[1], 64)
	return s, err
}
