package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

func importLine(id identifier.Identifier, owner string) storage.ImportLine {
	return storage.ImportLine{Number: 1, Identifier: id, Owner: owner}
}

func imported(t *testing.T, s *postgres.Store, lines ...storage.ImportLine) []storage.ImportOutcome {
	t.Helper()
	outcomes, err := s.Import(t.Context(), lines)
	require.NoError(t, err)
	return outcomes
}

// An import died between the name and its owner's list, and the owner signed up for another
// name. The repeated import gives the first one back: nobody has two.
func TestARepeatedImportGivesBackWhatItsOwnerCannotHave(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, left, own := accountIn(0), nameIn(1), nameIn(1)
	w.give(t, owner, own)
	w.execute(t, `INSERT INTO holdings (vshard, kind, state, since, grant_id, owner, key, canonical, display)
		SELECT $1, 1, 2, now(), gen_random_uuid(), $2, $3, $3, $3 FROM vshards WHERE vshard = $1 AND state = 'OWNED'`,
		int16(storage.VshardOf(left)), owner, left.Key())
	outcome := imported(t, w.other, importLine(left, owner))[0]
	require.Contains(t, outcome.Refused, "another name")
	require.Zero(t, w.standing(t, left))
	w.requireOwns(t, owner, own)
	w.requireConsistent(t)
}

// What its owner is about to be renamed from is not what an import left behind.
func TestAnImportLeavesAPendingRenameAlone(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, from, to, answered := renameBroken(t, w, afterDecide)
	outcome := imported(t, w.other, importLine(from, owner))[0]
	require.Contains(t, outcome.Refused, "another name")
	require.NoError(t, w.wake(answered).err)
	w.requireOwns(t, owner, to)
	require.Equal(t, owns(storage.Protected, owner, from), w.standing(t, from))
	w.requireConsistent(t)
}

// A name that somebody reserves at the same time is one line refused, and no outage.
func TestAnImportMeetsAReserve(t *testing.T) {
	t.Parallel()
	w := newBases(t, 1).world(t)
	name, free := nameIn(0), nameIn(0)
	another, err := w.pools[0].Begin(t.Context())
	require.NoError(t, err)
	_, err = another.Exec(t.Context(), `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, holder, key, canonical, display)
		VALUES ($1, 1, 1, now(), now() + interval '1 hour', gen_random_uuid(), gen_random_uuid(), $2, $2, $2)`, int16(storage.VshardOf(name)), name.Key())
	require.NoError(t, err)
	type result struct {
		outcomes []storage.ImportOutcome
		err      error
	}
	done := make(chan result, 1)
	go func() {
		outcomes, err := w.other.Import(context.WithoutCancel(t.Context()), []storage.ImportLine{importLine(name, ""), importLine(free, "")})
		done <- result{outcomes, err}
	}()
	w.awaitLock(t)
	require.NoError(t, another.Commit(t.Context()))
	got := <-done
	require.NoError(t, got.err)
	require.Contains(t, got.outcomes[0].Refused, "reserved")
	require.True(t, got.outcomes[1].Added)
}

// An owner signs up for another name when the import is past its look: that one stays, and
// the line's name is given back.
func TestAnImportMeetsASignUp(t *testing.T) {
	t.Parallel()
	w := newBases(t, 1).world(t)
	owner, name, own := accountIn(0), nameIn(0), nameIn(0)
	signUp, err := w.pools[0].Begin(t.Context())
	require.NoError(t, err)
	_, err = signUp.Exec(t.Context(), `
		WITH held AS (
			INSERT INTO holdings (vshard, kind, state, since, grant_id, owner, key, canonical, display)
			VALUES ($1, 1, 2, now(), gen_random_uuid(), $3, $4, $4, $4) RETURNING grant_id
		), account AS (INSERT INTO accounts (vshard, owner) VALUES ($2, $3))
		INSERT INTO slots (vshard, kind, slot, owner, key, grant_id, canonical, display) SELECT $2, 1, 0, $3, $4, grant_id, $4, $4 FROM held`,
		int16(storage.VshardOf(own)), int16(storage.VshardOfOwner(owner)), owner, own.Key())
	require.NoError(t, err)
	outcomes := make(chan []storage.ImportOutcome, 1)
	go func() {
		got, _ := w.other.Import(context.WithoutCancel(t.Context()), []storage.ImportLine{importLine(name, owner)})
		outcomes <- got
	}()
	w.awaitLock(t)
	require.NoError(t, signUp.Commit(t.Context()))
	got := <-outcomes
	require.Len(t, got, 1)
	require.Contains(t, got[0].Refused, "another name")
	require.False(t, got[0].Added)
	require.Zero(t, w.standing(t, name))
	w.requireOwns(t, owner, own)
	w.requireConsistent(t)
}

// What is decided for an account rests on its version, so an import counts it up.
func TestAnImportCountsTheAccountUp(t *testing.T) {
	t.Parallel()
	w := newBases(t, 1).world(t)
	owner, former := accountIn(0), nameIn(0)
	w.give(t, owner, former)
	_, err := w.other.Release(t.Context(), userChange(owner), former)
	require.NoError(t, err)
	version := func() int64 {
		return collect[struct{ Version int64 }](t, w.bases, `SELECT version FROM accounts WHERE owner = $1`, owner)[0].Version
	}
	before := version()
	require.True(t, imported(t, w.other, importLine(nameIn(0), owner))[0].Added)
	require.Greater(t, version(), before)
}

// Two imports of one file and sign-ups for its names at once: all goes through, and what is
// there in the end is right.
func TestImportsBesideEachOtherAndSignUps(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	var lines []storage.ImportLine
	for i := range 600 {
		lines = append(lines, importLine(nameIn(i%2), fmt.Sprintf("%s-%d", accountIn(i%2), i)))
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			_, err := w.other.Import(t.Context(), lines)
			require.NoError(t, err)
		})
	}
	for n := range 4 {
		all.Go(func() {
			for _, l := range lines[n*100 : n*100+100] {
				req := request(l.Identifier)
				if _, err := w.other.Reserve(t.Context(), req); err == nil {
					_, err = w.other.Cancel(t.Context(), req.Request)
					require.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	imported(t, w.other, lines...)
	w.requireConsistent(t)
	require.Len(t, collect[struct{ Key string }](t, w.bases, `SELECT key FROM holdings WHERE state = 2`), len(lines))
}

// A vshard of an owner has moved since the route map was read.
func TestAnImportFollowsAMove(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	w := b.world(t)
	owner, name := accountIn(0), nameIn(0)
	b.move(t, storage.VshardOfOwner(owner))
	if storage.VshardOf(name) != storage.VshardOfOwner(owner) {
		b.move(t, storage.VshardOf(name))
	}
	require.True(t, imported(t, w.other, importLine(name, owner))[0].Added)
	w.requireOwns(t, owner, name)
	w.requireConsistent(t)
}
