package postgres

import (
	"context"

	"namegate/storage"
)

// tellOrder writes feed and audit for what done did to the row of an identifier ($1 to
// $3), and says that it was done.
const tellOrder = `, fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT $6::text, ARRAY(SELECT v.epoch FROM vshards v WHERE v.vshard = $1), ARRAY[$1], ARRAY[$2], ARRAY[change], ARRAY[state], ARRAY[$3], ARRAY[$4::text]
	FROM done
), audited AS (
	INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor, note)
	SELECT grant_id, $1, $2, state, $6, $3, owner, $4, $5::text FROM done
)
SELECT true FROM done`

// blockSQL blocks a row, or makes one that nobody has. It leaves a row with an intent
// alone: the saga may be decided, or yet be, and would find another row than it took.
// So no blocked row has an intent, as none is ever laid on one.
const blockSQL = `
WITH done AS (
	INSERT INTO holdings AS h (vshard, kind, key, state, blocked, since, grant_id, canonical, display)
	SELECT v.vshard, $2::smallint, $3::text, 4, true, now(), $7::uuid, nullif($8::text, ''), nullif($9::text, '')
	FROM vshards v WHERE v.vshard = $1::smallint AND v.state = 'OWNED' AND ` + isolated + `
	ON CONFLICT (vshard, kind, key) DO UPDATE SET blocked = true, version = DEFAULT
	WHERE NOT h.blocked AND h.intent_grant IS NULL
	RETURNING h.state, h.grant_id, h.owner, (h.xmax = 0)::int::smallint AS change
)` + tellOrder

// unblockSQL takes the block away, and a row that only the block kept. The row is locked
// by the statement before, or it could become the one while it is judged as the other.
const unblockSQL = `
WITH freed AS (
	UPDATE holdings h SET blocked = false, version = DEFAULT
	WHERE h.vshard = $1::smallint AND h.kind = $2::smallint AND h.key = $3::text AND h.blocked AND h.state <> 4 AND ` + ownedHere + `
	RETURNING h.state, h.grant_id, h.owner, 0::smallint AS change
), gone AS (
	DELETE FROM holdings h
	WHERE h.vshard = $1 AND h.kind = $2 AND h.key = $3 AND h.blocked AND h.state = 4 AND ` + ownedHere + `
	RETURNING h.state, h.grant_id, h.owner, (-1)::smallint AS change
), done AS (
	SELECT * FROM freed UNION ALL SELECT * FROM gone
)` + tellOrder

const ownedHere = `EXISTS (SELECT FROM vshards v WHERE v.vshard = $1 AND v.state = 'OWNED') AND ` + isolated

// keptSet makes the blocked row of what is given up nobody's. Its grant is one that no
// late step knows.
const keptSet = `state = 4, since = now(), expire_at = NULL, grant_id = gen_random_uuid(), holder = NULL, owner = NULL, version = DEFAULT`

// Block blocks an identifier, once no saga has an intent there.
func (s *Store) Block(ctx context.Context, o storage.Order) (storage.Blocked, error) {
	for _, d := range pauses {
		if err := pauseAbout(ctx, d); err != nil {
			return storage.Blocked{}, err
		}
		done, standing, err := s.order(ctx, o, s.block(o))
		if err != nil {
			return storage.Blocked{}, err
		}
		if done || standing.Held != nil && standing.Held.Blocked {
			return storage.Blocked{Standing: standing, Changed: done}, nil
		}
		if _, err := s.settleMet(ctx, o.Identifier); err != nil {
			return storage.Blocked{}, againUnavailable(err)
		}
	}
	return storage.Blocked{}, &storage.OverloadedError{RetryAfter: intentTTL}
}

// Unblock takes a block away.
func (s *Store) Unblock(ctx context.Context, o storage.Order) (storage.Standing, error) {
	p := newPlaces(1)
	p.add(o.Identifier)
	done, standing, err := s.order(ctx, o, p.lock(), statement{sql: unblockSQL, args: orderColumns(o, causeUnblock)})
	if err == nil && !done {
		err = storage.ErrNotBlocked
	}
	return standing, err
}

// order has the last of statements carry an order out; done says whether it has changed
// anything. The standing is that after it, in the same transaction.
func (s *Store) order(ctx context.Context, o storage.Order, statements ...statement) (done bool, _ storage.Standing, _ error) {
	seen := make([]lookupResult, 1)
	statements[len(statements)-1].scan = scanOne(&done)
	statements = append(statements, lookupStatement([]lookup{{o.Identifier}}, seen))
	err := s.changeIn(ctx, storage.VshardOf(o.Identifier), statements...)
	return done, seen[0].standing, againUnavailable(err)
}

func (s *Store) block(o storage.Order) statement {
	id := o.Identifier
	return statement{sql: blockSQL, args: append(orderColumns(o, causeBlock), uuid(s.newGrant()), id.Canonical(), id.Display())}
}

// orderColumns are the parameters that tellOrder knows.
func orderColumns(o storage.Order, cause string) []any {
	id := o.Identifier
	return []any{int16(storage.VshardOf(id)), int16(id.Kind()), id.Key(), o.Actor, o.Note, cause}
}

// onlyBlocked says that nothing but a block keeps a holding that has run out.
func onlyBlocked(s storage.Standing) bool {
	h := s.Held
	return h.Blocked && !h.ExpireAt.IsZero() && !h.ExpireAt.After(s.AsOf)
}
