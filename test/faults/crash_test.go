package faults_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg/pgtest"
)

// aborts are made before each crash, so that some are left for the name although the
// replicas, too, write after it.
const aborts = 20

// PostgreSQL gives the xid of an abort that did not reach the disk out again after a crash.
// Replicas that had read past it learn of the name that is then committed under it.
func TestTheServerCrashesBetweenAnAbortAndTheNextCommit(t *testing.T) {
	t.Parallel()
	own := pgtest.NewServer(t, map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"}, "a", "b")
	g := newRegistry(t, own.DSN("a"), own.DSN("b"))
	replicas := replicasOf(g.fleet(t, 2, direct))
	writer := g.writer(t)
	w := newWitness(t, g.staleness)
	w.watch(t, replicas...)
	again := 0
	for range rounds(4, 40) {
		undone := abort(t, own.DSN("a"))
		for _, r := range replicas {
			awaitReading(t, r, time.Now())
		}
		require.NoError(t, own.Kill())
		require.NoError(t, own.Restart(t.Context()))
		name := g.freshNamesIn("a", 1)[0]
		insist(t, w, writer, name)
		w.requireKnown(t, name, replicas...)
		if xidOf(t, own.DSN("a"), name) <= undone {
			again++
		}
	}
	require.NotZero(t, again, "xids that were given out again")
	for _, r := range replicas {
		awaitAuthority(t, r)
	}
	t.Logf("%d xids were given out again", again)
}

// abort begins changes and takes them back; it gives the last one's xid.
func abort(t testing.TB, dsn string) uint64 {
	t.Helper()
	var statements []string
	for range aborts {
		statements = append(statements, `BEGIN`, `SELECT pg_current_xact_id()`, `ROLLBACK`)
	}
	xids := strings.Fields(psql(t, dsn, statements...))
	xid, err := strconv.ParseUint(xids[len(xids)-1], 10, 64)
	require.NoError(t, err)
	return xid
}

// awaitReading waits until a replica has read the databases after a time. Of so many names
// each database has some.
func awaitReading(t testing.TB, r *replica, after time.Time) {
	t.Helper()
	eventually(t, patience, "a reading of the databases", func() bool {
		answers, err := r.check(t.Context(), freshNames(maxChecks)...)
		return err == nil && allByFilter(answers, after)
	})
}

// allByFilter says that all answers are the filter's, as of later than a time.
func allByFilter(answers []answer, after time.Time) bool {
	return !slices.ContainsFunc(answers, func(a answer) bool { return !a.byFilter() || !a.AsOf.After(after) })
}

// insist reserves a name, again with the same request until the database answers.
func insist(t testing.TB, w *witness, r *replica, name string) {
	t.Helper()
	request := rand.Text()
	eventually(t, patience, "a name that is reserved", func() bool {
		token, err := r.reserve(context.WithoutCancel(t.Context()), name, request)
		return err == nil && token != ""
	})
	w.held(name, time.Now())
}

// xidOf is under which xid a name was reserved.
func xidOf(t testing.TB, dsn, name string) uint64 {
	t.Helper()
	text := psql(t, dsn, fmt.Sprintf(`SELECT xid FROM feed WHERE '%s' = ANY (keys) ORDER BY id LIMIT 1`, name))
	xid, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return xid
}
