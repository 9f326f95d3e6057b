package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

func verify(t *testing.T, s *postgres.Store) storage.Verification {
	t.Helper()
	v, err := s.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, v.Unseen)
	return v
}

// member is an account with a username in the first database, while the account
// itself is in the second one.
type member struct {
	owner string
	name  identifier.Identifier
}

func (m member) vshard() int16 { return int16(storage.VshardOf(m.name)) }

// join makes an account.
func join(ctx context.Context, s *postgres.Store) (member, error) {
	m := member{ownerIn(1), nameIn(0)}
	req := request(m.name)
	if _, err := s.Reserve(ctx, req); err != nil {
		return m, err
	}
	_, err := s.Confirm(ctx, m.change(), req.Request)
	return m, err
}

func (m member) change() storage.Change {
	return storage.Change{Owner: m.owner, Actor: "test", Request: storage.NewUserRequestKey(m.owner, rand.Text())}
}

func TestVerifyFindsEachFault(t *testing.T) {
	t.Parallel()
	type plant func(t *testing.T, a, b postgres.Database, m member)
	for fault, plant := range map[storage.Fault]plant{
		storage.TwoOwnersOfVshard: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, b, `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES (7, 'OWNED', 2, gen_random_uuid())`)
		},
		storage.NoOwnerOfVshard: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, a, `UPDATE vshards SET state = 'MOVED' WHERE vshard = 7`)
		},
		storage.HeldTwice: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, b, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key) VALUES ($1, 1, 2, now(), gen_random_uuid(), $2)`, m.vshard(), m.name.Key())
		},
		storage.Astray: func(t *testing.T, a, b postgres.Database, m member) {
			name := nameIn(0)
			execute(t, b, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key) VALUES ($1, 1, 2, now(), gen_random_uuid(), $2)`, int16(storage.VshardOf(name)), name.Key())
		},
		storage.ListedTwice: func(t *testing.T, a, b postgres.Database, m member) {
			other := ownerIn(0)
			execute(t, a, `INSERT INTO slots (vshard, kind, slot, grant_id, owner, key) VALUES ($1, 1, 0, gen_random_uuid(), $2, $3)`, int16(storage.VshardOfOwner(other)), other, m.name.Key())
		},
		storage.NotHeld: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, a, `DELETE FROM holdings WHERE key = $1`, m.name.Key())
		},
		storage.NotListed: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, b, `UPDATE slots SET grant_id = gen_random_uuid() WHERE owner = $1`, m.owner)
			execute(t, b, `DELETE FROM slots WHERE owner = $1`, m.owner)
		},
		storage.OverLimit: func(t *testing.T, a, b postgres.Database, m member) {
			name := nameIn(0)
			execute(t, a, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, owner) VALUES ($1, 1, 2, now(), '11111111-1111-1111-1111-111111111111', $2, $3)`, int16(storage.VshardOf(name)), name.Key(), m.owner)
			execute(t, b, `INSERT INTO slots (vshard, kind, slot, grant_id, owner, key) VALUES ($1, 1, 1, '11111111-1111-1111-1111-111111111111', $2, $3)`, int16(storage.VshardOfOwner(m.owner)), m.owner, name.Key())
		},
		storage.OverdueChange: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, b, `UPDATE accounts SET pending_request = (SELECT id FROM requests WHERE owner = $1), pending_acts = convert_to('{"cause":"CONFIRM","acts":[]}', 'UTF8')`, m.owner)
			execute(t, b, `UPDATE requests SET since = since - interval '2 minutes'`)
		},
		storage.OverdueIntent: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, a, `UPDATE holdings SET intent_grant = gen_random_uuid(), intent_request = gen_random_uuid(), intent_vshard = 0, intent_attempt = gen_random_uuid(), intent_until = now() - interval '2 minutes'`)
		},
		storage.EndlessIntent: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, a, `UPDATE holdings SET intent_grant = gen_random_uuid(), intent_request = gen_random_uuid(), intent_vshard = 0, intent_attempt = gen_random_uuid(), intent_until = 'infinity'`)
		},
		storage.Misspelt: func(t *testing.T, a, b postgres.Database, m member) {
			execute(t, b, `UPDATE slots SET display = 'Other' WHERE owner = $1`, m.owner)
		},
		storage.Ownerless: func(t *testing.T, a, b postgres.Database, m member) {
			name := nameIn(0)
			execute(t, a, `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key) VALUES ($1, 1, 3, now(), now() + interval '1 day', gen_random_uuid(), $2)`, int16(storage.VshardOf(name)), name.Key())
		},
		storage.LeftBehind: func(t *testing.T, a, b postgres.Database, m member) {
			name := nameIn(0)
			execute(t, a, `ALTER TABLE holdings DROP CONSTRAINT holdings_check`)
			execute(t, a, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key) VALUES ($1, 1, 4, now(), gen_random_uuid(), $2)`, int16(storage.VshardOf(name)), name.Key())
		},
		storage.NotSwept: func(t *testing.T, a, b postgres.Database, m member) {
			name := nameIn(0)
			execute(t, a, `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key) VALUES ($1, 1, 1, now(), now() - interval '10 minutes', gen_random_uuid(), $2)`, int16(storage.VshardOf(name)), name.Key())
		},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			s := open(t, o)
			m, err := join(t.Context(), s)
			require.NoError(t, err)
			plant(t, o.Databases[0], o.Databases[1], m)
			v := verify(t, s)
			require.Len(t, v.Faults, 1, "%v", v.Faults)
			require.Contains(t, v.Faults, fault)
			require.Equal(t, int64(1), v.Faults[fault].Count)
			require.Len(t, v.Faults[fault].Examples, 1)
		})
	}
}

// Requests and accounts are counted by vshard, slots one by one.
func TestVerifyFindsWhatIsAstray(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	execute(t, o.Databases[0], `INSERT INTO requests (vshard, state, id, arguments) SELECT 1000 + n % 2, 2, gen_random_uuid(), '' FROM generate_series(1, 30) AS n`)
	execute(t, o.Databases[1], `INSERT INTO accounts (vshard, owner) VALUES (3, 'user:3')`)
	found := verify(t, s).Faults[storage.Astray]
	require.Equal(t, int64(31), found.Count)
	require.ElementsMatch(t, []string{
		"requests of vshard 1000 in database a", "requests of vshard 1001 in database a", "accounts of vshard 3 in database b",
	}, found.Examples)
}

// Rows of a vshard that moves stand in two databases for a time.
func TestVerifyKnowsMoves(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	m, err := join(t.Context(), s)
	require.NoError(t, err)
	execute(t, o.Databases[1], `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES ($1, 'INCOMING', 2, gen_random_uuid())`, m.vshard())
	execute(t, o.Databases[1], `INSERT INTO holdings (vshard, kind, state, since, grant_id, key) VALUES ($1, 1, 2, now(), gen_random_uuid(), $2)`, m.vshard(), m.name.Key())
	v := verify(t, s)
	require.Empty(t, v.Faults)
	require.Equal(t, storage.Verified{Holdings: 1, Slots: 1}, v.Verified)
}

// A name that many rows broke is counted in full, with some examples.
func TestVerifyReadsManyPages(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	insertExpired(t, o.Databases[0], 1, 4500) // of vshard 0, which few of their keys belong to
	var told []storage.Verified
	v, err := s.Verify(t.Context(), func(so storage.Verified) { told = append(told, so) })
	require.NoError(t, err)
	require.Equal(t, int64(4500), v.Holdings)
	require.Equal(t, int64(4500), v.Faults[storage.Astray].Count+v.Faults[storage.NotSwept].Count)
	require.Len(t, v.Faults[storage.Astray].Examples, storage.MaxExamples)
	require.Greater(t, len(told), 3)
}

// Verify says what it could not see, and what it could.
func TestVerifyWithoutADatabase(t *testing.T) {
	t.Parallel()
	own, o := ownServer(t)
	s := open(t, o)
	require.NoError(t, own.Kill())
	execute(t, o.Databases[0], `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key) VALUES ($1, 1, 1, now(), now() - interval '10 minutes', gen_random_uuid(), $2)`,
		int16(storage.VshardOf(username("swept"))), "swept")
	require.Less(t, int16(storage.VshardOf(username("swept"))), int16(storage.Vshards/2))
	v, err := s.Verify(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, v.Unseen)
	require.Equal(t, int64(1), v.Faults[storage.NotSwept].Count)
	require.Len(t, v.Faults, 1, "%v", v.Faults)
}

// Whatever goes on, nothing healthy is taken for broken.
func TestVerifyBesideTraffic(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	o.Terms.RenameCooldown = 0
	s := open(t, o)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var callers sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		callers.Go(func() {
			for ctx.Err() == nil && errs[i] == nil {
				errs[i] = live(context.WithoutCancel(ctx), s)
			}
		})
	}
	for range 4 {
		v := verify(t, s)
		require.Empty(t, v.Faults, describe(v))
		sweepOnce(t, s)
	}
	stop()
	callers.Wait()
	require.NoError(t, errors.Join(errs...))
	v := verify(t, s)
	require.Empty(t, v.Faults, describe(v))
	require.Positive(t, v.Slots)
}

// live is the life of an account, some of which are deleted.
func live(ctx context.Context, s *postgres.Store) error {
	m, err := join(ctx, s)
	if err != nil {
		return err
	}
	if _, err := s.Block(ctx, order(m.name)); err != nil {
		return err
	}
	for range 3 {
		to := nameIn(time.Now().Nanosecond() % 2)
		if _, err := s.Rename(ctx, m.change(), to); err != nil {
			return err
		}
		respelled := identifier.Stored(identifier.Username, to.Key(), to.Canonical(), strings.ToUpper(to.Key()))
		if _, err := s.Rename(ctx, m.change(), respelled); err != nil {
			return err
		}
	}
	if time.Now().Nanosecond()%2 == 0 {
		return nil
	}
	if _, err = s.Release(ctx, m.change()); err == nil {
		_, err = s.Unblock(ctx, order(m.name))
	}
	return err
}

func describe(v storage.Verification) string {
	text := ""
	for fault, f := range v.Faults {
		text += fmt.Sprintf("%s: %d %v\n", fault, f.Count, f.Examples)
	}
	return text
}

func TestVerifyReadsPageByPage(t *testing.T) {
	t.Parallel()
	requireConditions(t, postgres.PlannedVerifications())
}
