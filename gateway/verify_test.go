package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/localpg"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	startDev(t, dir)
	importLines(t, dir, "grace.hopper,user:1\nada.lovelace,user:2\n")
	got := finish(t, command(t, "verify", "--data-dir", dir))
	require.Equal(t, exitOK, got.code, got.err)
	require.True(t, strings.HasPrefix(got.out, "2 holdings and 2 entries of accounts were looked at\n"), got.out)
	require.Contains(t, got.out, "         0 "+string(storage.HeldTwice))

	server, err := localpg.Attach(t.Context(), dir)
	require.NoError(t, err)
	got = finish(t, command(t, "verify", "--identifier-secret-file", filepath.Join(dir, "identifier-secret"),
		"--database", "a="+server.DSN("namegate_a"), "--database", "b=host=127.0.0.1 port=1 dbname=none"))
	require.Equal(t, exitUnseen, got.code, got.err)
	require.Contains(t, got.out, "not looked at: holdings of database b")

	for _, database := range []string{"namegate_a", "namegate_b"} {
		execute(t, dir, database, `DELETE FROM slots`)
	}
	got = finish(t, command(t, "verify", "--data-dir", dir))
	require.Equal(t, exitError, got.code, got.err)
	require.Contains(t, got.out, "         2 "+string(storage.NotListed))
	require.Contains(t, got.out, "             USERNAME grace.hopper, of account user:1\n")
}

// A wrong route map, and what it led to, is counted as any other fault.
func TestVerifyCountsAWrongRouteMap(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	startDev(t, dir)
	importLines(t, dir, "grace.hopper,user:1\nada.lovelace,user:2\n")
	insert := `INSERT INTO vshards (vshard, state, epoch, move_id) SELECT v, 'OWNED', 2, gen_random_uuid() FROM generate_series(%d, %d) v`
	execute(t, dir, "namegate_a", fmt.Sprintf(insert, 512, 1023))
	execute(t, dir, "namegate_b", fmt.Sprintf(insert, 0, 511))
	row := `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, owner)
		VALUES (%d, 1, 2, now(), gen_random_uuid(), 'grace.hopper', 'user:3')`
	vshard := storage.VshardOf(identifier.Stored(identifier.Username, "grace.hopper", "", ""))
	execute(t, dir, []string{"namegate_b", "namegate_a"}[int(vshard)/(storage.Vshards/2)], fmt.Sprintf(row, vshard))
	got := finish(t, command(t, "verify", "--data-dir", dir))
	require.Equal(t, exitError, got.code, got.err)
	require.Contains(t, got.out, "      1024 "+string(storage.TwoOwnersOfVshard))
	require.Contains(t, got.out, "         1 "+string(storage.HeldTwice))
	require.Contains(t, got.out, "USERNAME grace.hopper: [namegate_a namegate_b]")

	execute(t, dir, "namegate_a", `DELETE FROM vshards`)
	execute(t, dir, "namegate_b", `DELETE FROM vshards WHERE vshard = 511`)
	got = finish(t, command(t, "verify", "--data-dir", dir))
	require.Equal(t, exitError, got.code, got.err)
	require.Contains(t, got.out, "         1 "+string(storage.NoOwnerOfVshard))
	require.Contains(t, got.out, "vshard 511\n")
}

func TestAReplicaSweeps(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir, "--reservation-ttl", "1s")
	require.Contains(t, r.reserve(t), `"token"`)
	require.Eventually(t, func() bool {
		swept := `SELECT count(*) FROM feed WHERE cause = 'EXPIRE'`
		return execute(t, dir, "namegate_a", swept) == "1" || execute(t, dir, "namegate_b", swept) == "1"
	}, 30*time.Second, 100*time.Millisecond)
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
}

func TestVerifyWithNowhereToLook(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "verify", "--data-dir", t.TempDir()))
	require.Equal(t, exitUnseen, got.code)
	require.Contains(t, got.err, "no PostgreSQL cluster")
}

func TestProgressIsShownNowAndThen(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(1, 0)
	p := progress{out: &out, every: time.Minute, clock: func() time.Time { return now }}
	for n := range int64(5) {
		p.verified(storage.Verified{Holdings: n, Slots: n})
		now = now.Add(30 * time.Second)
	}
	require.Equal(t, "2 holdings, 2 entries of accounts\n4 holdings, 4 entries of accounts\n", out.String())
}
