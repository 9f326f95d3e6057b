package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
	"namegate/storage/storagetest"
)

// world is a registry whose sagas tests break off: an executor that may stop after
// any write, and another replica.
type world struct {
	*bases
	executor *postgres.Store
	stop     *stopper
}

// bases are the databases of one world after the other, and the replica that lives.
type bases struct {
	o     postgres.Options
	pools []*pgxpool.Pool
	other *postgres.Store
}

// newBases have no cool-down, so that accounts may be renamed back and forth.
func newBases(t *testing.T, databases int) *bases {
	t.Helper()
	return basesOf(t, freelyRenaming(migrated(t, databases)))
}

func basesOf(t *testing.T, o postgres.Options) *bases {
	t.Helper()
	b := &bases{o: o, other: open(t, o)}
	for _, d := range o.Databases {
		pool, err := pgxpool.New(t.Context(), d.DSN)
		require.NoError(t, err)
		t.Cleanup(pool.Close)
		b.pools = append(b.pools, pool)
	}
	return b
}

// world is one on the databases.
func (b *bases) world(t *testing.T) *world {
	t.Helper()
	w := &world{bases: b, executor: open(t, b.o), stop: &stopper{resume: make(chan struct{})}}
	postgres.OnWrite(w.executor, w.stop.wrote)
	t.Cleanup(w.stop.goOn) // before the store is closed, which waits for its sagas
	return w
}

// close ends the world; its databases stay.
func (w *world) close() {
	w.stop.goOn()
	w.executor.Close()
}

// execute runs a statement in each database.
func (b *bases) execute(t testing.TB, sql string, args ...any) {
	t.Helper()
	for _, pool := range b.pools {
		_, err := pool.Exec(context.Background(), sql, args...)
		require.NoError(t, err)
	}
}

// collect reads rows of all databases.
func collect[T any](t testing.TB, b *bases, sql string, args ...any) (all []T) {
	t.Helper()
	for _, pool := range b.pools {
		rows, err := pool.Query(context.Background(), sql, args...)
		require.NoError(t, err)
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		require.NoError(t, err)
		all = append(all, list...)
	}
	return all
}

// awaitLock returns when somebody waits for a lock in one of the databases.
func (b *bases) awaitLock(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return len(collect[struct{ PID int32 }](t, b, `
			SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)) > 0
	}, callLimit, time.Millisecond)
}

func freelyRenaming(o postgres.Options) postgres.Options {
	o.Terms = storagetest.Terms
	o.Terms.RenameCooldown = 0
	return o
}

// stopper stops an executor for good after so many writes, or until it may go on.
type stopper struct {
	after   atomic.Int64 // writes until the stop; none when zero or less
	stopped atomic.Bool
	resume  chan struct{}
	resumed atomic.Bool
}

func (s *stopper) wrote() {
	if s.after.Add(-1) != 0 {
		return
	}
	s.stopped.Store(true)
	<-s.resume
}

// made says whether the executor, which has been closed, has made all of these writes. One
// that was slow may have answered before the last of them.
func (s *stopper) made() bool { return s.after.Load() <= 0 }

// goOn lets the executor take the steps that it stopped before, however late.
func (s *stopper) goOn() {
	if s.resumed.CompareAndSwap(false, true) {
		close(s.resume)
	}
}

// result is what a call came to.
type result struct {
	answer any
	err    error
}

// call sends a request to a store.
type call func(context.Context, *postgres.Store) (any, error)

// begin has the executor stop after n writes of a request, and gives the channel
// on which its answer comes, if ever.
func (w *world) begin(t *testing.T, n int, send call) <-chan result {
	t.Helper()
	w.stop.after.Store(int64(n))
	answered := make(chan result, 1)
	go func() {
		answer, err := send(context.Background(), w.executor)
		answered <- result{answer, err}
	}()
	require.Eventually(t, func() bool { return w.stop.stopped.Load() || len(answered) > 0 }, callLimit, time.Millisecond)
	return answered
}

// age lets the time of all sagas under way run out, so that anybody may give them up.
func (b *bases) age(t testing.TB) {
	t.Helper()
	b.execute(t, ageIntents)
	b.execute(t, ageRequests)
}

const (
	ageIntents  = `UPDATE holdings SET intent_until = now() WHERE intent_until > now()`
	ageRequests = `UPDATE requests SET created_at = now() - interval '1 minute'
		WHERE state = 1 AND decided_in IS NULL AND created_at > now() - interval '1 minute'`
)

// settle has the other replica bring all that was begun to its end: it meets the
// intents beside names as a stranger, and what is pending as the account.
func (w *world) settle(t *testing.T, owners []string, names ...identifier.Identifier) {
	t.Helper()
	w.age(t)
	for _, id := range names {
		req := request(id)
		if _, err := w.other.Reserve(limited(t), req); err == nil {
			_, err = w.other.Cancel(limited(t), req.Request)
			require.NoError(t, err)
		}
	}
	for _, owner := range owners {
		_, err := w.other.Release(limited(t), userChange(owner), freshName())
		require.ErrorIs(t, err, storage.ErrNotOwner)
	}
}

// tenure is a row of a slot or of an active holding.
type tenure struct {
	Owner string
	Kind  int16
	Key   string
	Grant [16]byte
}

// requireConsistent says that no intent and nothing decided is left to be carried
// out, and that what accounts have is what the holdings say.
func (b *bases) requireConsistent(t testing.TB) {
	t.Helper()
	require.Empty(t, collect[struct{ Key string }](t, b, `SELECT key FROM holdings WHERE intent_grant IS NOT NULL`), "intents")
	require.Empty(t, collect[struct{ Owner string }](t, b, `SELECT owner FROM accounts WHERE pending_request IS NOT NULL`), "pending")
	require.Empty(t, collect[struct{ Owner string }](t, b, `SELECT owner FROM slots WHERE kind = 1 GROUP BY owner HAVING count(*) > 1`), "two usernames")
	slots := collect[tenure](t, b, `SELECT owner, kind, key, grant_id FROM slots`)
	holdings := collect[tenure](t, b, `SELECT owner, kind, key, grant_id FROM holdings WHERE state = 2`)
	require.Equal(t, counted(holdings), counted(slots))
}

func counted(list []tenure) map[tenure]int {
	counts := make(map[tenure]int, len(list))
	for _, t := range list {
		counts[t]++
	}
	return counts
}

// accountIn is a fresh account of the given half of the vshards.
func accountIn(half int) string {
	for {
		if owner := "user:" + rand.Text(); int(storage.VshardOfOwner(owner))/(storage.Vshards/2) == half {
			return owner
		}
	}
}

// privateIn is a fresh identifier of a private kind, of the given half of the vshards.
func privateIn(half int, kind identifier.Kind) identifier.Identifier {
	for {
		if id := identifier.Stored(kind, rand.Text(), "", ""); int(storage.VshardOf(id))/(storage.Vshards/2) == half {
			return id
		}
	}
}

// userChange is a change that an account itself asks for.
func userChange(owner string) storage.Change {
	return storage.Change{Request: storage.NewUserRequestKey(owner, rand.Text()), Owner: owner, Actor: owner}
}

// serviceChange is one that a back end asks for, whose request's record belongs to
// the given half of the vshards.
func serviceChange(half int, owner string) storage.Change {
	for {
		key := storage.NewServiceRequestKey("back end", rand.Text())
		if int(key.Vshard)/(storage.Vshards/2) == half {
			return storage.Change{Request: key, Owner: owner, Actor: "back end"}
		}
	}
}

// give makes a name an account's.
func (w *world) give(t *testing.T, owner string, ids ...identifier.Identifier) {
	t.Helper()
	for _, id := range ids {
		req := request(id)
		_, err := w.other.Reserve(t.Context(), req)
		require.NoError(t, err)
		_, err = w.other.Confirm(t.Context(), userChange(owner), req.Request)
		require.NoError(t, err)
	}
}

// rename moves an account to another name.
func (w *world) rename(t *testing.T, owner string, to identifier.Identifier) {
	t.Helper()
	_, err := w.other.Rename(t.Context(), userChange(owner), to)
	require.NoError(t, err)
}

// standing is what everybody may know of an identifier; zero when it is free.
type standing struct {
	state   storage.State
	owner   string
	display string
}

func (w *world) standing(t *testing.T, id identifier.Identifier) standing {
	t.Helper()
	s, err := w.other.Lookup(t.Context(), id)
	require.NoError(t, err)
	if s.Held == nil {
		return standing{}
	}
	return standing{s.Held.State, s.Held.Owner, s.Held.Identifier.Display()}
}

// has are the keys of what an account has.
func (w *world) has(t *testing.T, owner string) map[identifier.Identifier]bool {
	t.Helper()
	list, err := w.other.Account(t.Context(), owner)
	require.NoError(t, err)
	keys := map[identifier.Identifier]bool{}
	for _, h := range list {
		keys[identifier.Stored(h.Identifier.Kind(), h.Identifier.Key(), "", "")] = true
	}
	return keys
}

// step says where a test stands.
func step(saga string, n int, ending string) string {
	return fmt.Sprintf("%s, after write %d, %s", saga, n, ending)
}
