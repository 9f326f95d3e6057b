package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// broken is a saga for tests to break off, and what may be seen of it. On two
// databases its parts lie on both.
type broken struct {
	change storage.Change
	// send sends the change, be it under another request id.
	send          func(storage.Change) call
	takes         []identifier.Identifier
	before, after map[identifier.Identifier]standing
}

// sagas make each kind of saga ready to be sent.
var sagas = map[string]func(*testing.T, *world) broken{
	"confirm as a user": func(t *testing.T, w *world) broken {
		owner := accountIn(0)
		return confirming(t, w, userChange(owner), nameIn(1))
	},
	"confirm as a service": func(t *testing.T, w *world) broken {
		return confirming(t, w, serviceChange(1, accountIn(0)), nameIn(1))
	},
	"confirm several": func(t *testing.T, w *world) broken {
		return confirming(t, w, serviceChange(0, accountIn(1)), nameIn(0), privateIn(1, identifier.Email), privateIn(0, identifier.Phone))
	},
	"rename as a user": func(t *testing.T, w *world) broken {
		owner := accountIn(1)
		return renaming(t, w, userChange(owner), nameIn(0), nameIn(1))
	},
	"rename as a service": func(t *testing.T, w *world) broken {
		return renaming(t, w, serviceChange(1, accountIn(0)), nameIn(0), nameIn(1))
	},
	"take a protected name back": func(t *testing.T, w *world) broken {
		owner, former := accountIn(0), nameIn(1)
		w.give(t, owner, former)
		now := nameIn(0)
		w.rename(t, owner, now)
		return renamingFrom(userChange(owner), now, former, owns(storage.Protected, owner, former))
	},
	"respell": func(t *testing.T, w *world) broken {
		owner, name := accountIn(0), nameIn(1)
		w.give(t, owner, name)
		loud := identifier.Stored(identifier.Username, name.Key(), name.Key(), "X"+name.Key()[1:])
		return broken{
			change: serviceChange(1, owner), send: renameTo(loud),
			before: map[identifier.Identifier]standing{name: owns(storage.Active, owner, name)},
			after:  map[identifier.Identifier]standing{name: owns(storage.Active, owner, loud)},
		}
	},
	"release one": func(t *testing.T, w *world) broken {
		owner, name, mail := accountIn(0), nameIn(1), privateIn(1, identifier.Email)
		w.give(t, owner, name, mail)
		return broken{
			change: userChange(owner), send: releaseOf(mail),
			before: map[identifier.Identifier]standing{name: owns(storage.Active, owner, name), mail: owns(storage.Active, owner, mail)},
			after:  map[identifier.Identifier]standing{name: owns(storage.Active, owner, name), mail: {}},
		}
	},
	"release all": func(t *testing.T, w *world) broken {
		owner, name, mail := accountIn(0), nameIn(1), privateIn(0, identifier.Email)
		w.give(t, owner, name, mail)
		return broken{
			change: serviceChange(1, owner), send: releaseOf(),
			before: map[identifier.Identifier]standing{name: owns(storage.Active, owner, name), mail: owns(storage.Active, owner, mail)},
			after:  map[identifier.Identifier]standing{name: owns(storage.Protected, owner, name), mail: {}},
		}
	},
}

func owns(state storage.State, owner string, id identifier.Identifier) standing {
	return standing{state, owner, id.Display()}
}

func confirming(t *testing.T, w *world, c storage.Change, ids ...identifier.Identifier) broken {
	t.Helper()
	req := request(ids...)
	_, err := w.other.ReserveAll(t.Context(), req)
	require.NoError(t, err)
	b := broken{change: c, takes: ids, before: map[identifier.Identifier]standing{}, after: map[identifier.Identifier]standing{}}
	b.send = func(c storage.Change) call {
		return func(ctx context.Context, s *postgres.Store) (any, error) { return s.Confirm(ctx, c, req.Request) }
	}
	for _, id := range ids {
		b.before[id], b.after[id] = owns(storage.Reserved, "", id), owns(storage.Active, c.Owner, id)
	}
	return b
}

func renaming(t *testing.T, w *world, c storage.Change, from, to identifier.Identifier) broken {
	t.Helper()
	w.give(t, c.Owner, from)
	return renamingFrom(c, from, to, standing{})
}

func renamingFrom(c storage.Change, from, to identifier.Identifier, was standing) broken {
	return broken{
		change: c, send: renameTo(to), takes: []identifier.Identifier{to},
		before: map[identifier.Identifier]standing{from: owns(storage.Active, c.Owner, from), to: was},
		after:  map[identifier.Identifier]standing{from: owns(storage.Protected, c.Owner, from), to: owns(storage.Active, c.Owner, to)},
	}
}

func renameTo(to identifier.Identifier) func(storage.Change) call {
	return func(c storage.Change) call {
		return func(ctx context.Context, s *postgres.Store) (any, error) { return s.Rename(ctx, c, to) }
	}
}

func releaseOf(ids ...identifier.Identifier) func(storage.Change) call {
	return func(c storage.Change) call {
		return func(ctx context.Context, s *postgres.Store) (any, error) { return s.Release(ctx, c, ids...) }
	}
}
