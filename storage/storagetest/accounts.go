package storagetest

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Terms are the rules that the stores of a run must keep. The first rename of an
// account is free, so the cool-down shows at its second one.
var Terms = storage.Terms{
	Limits:         map[identifier.Kind]int{identifier.Username: 1, identifier.Email: 3, identifier.Phone: 1},
	Protection:     90 * 24 * time.Hour,
	RenameCooldown: 14 * 24 * time.Hour,
}

// freshOwner is an account that no other test knows.
func freshOwner() string { return "user:" + rand.Text() }

// private is an identifier of a private kind that no other test knows.
func private(kind identifier.Kind) identifier.Identifier {
	return identifier.Stored(kind, rand.Text(), "", "")
}

// changing is a change of an account under a request id of its own: as the account
// itself, or as a back end when service.
func changing(owner string, service bool, arguments ...string) storage.Change {
	key := storage.NewUserRequestKey(owner, rand.Text())
	if service {
		key = storage.NewServiceRequestKey("storagetest", rand.Text())
	}
	return storage.Change{
		Request: key, Arguments: storage.HashArguments("change", append(arguments, owner)...), Owner: owner, Actor: "storagetest",
	}
}

// account makes an account with a username.
func (r Replicas) account(t *testing.T, n int) (owner string, h storage.Holding) {
	t.Helper()
	owner = freshOwner()
	return owner, r.give(t, n, owner, freshName())
}

// give reserves an identifier and confirms it for an account.
func (r Replicas) give(t *testing.T, n int, owner string, id identifier.Identifier) storage.Holding {
	t.Helper()
	req := request(hour, id)
	reserve(t, r.one(n), req)
	list, err := r.one(n+1).Confirm(t.Context(), changing(owner, n%2 == 1), req.Request)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// requireAccount reads what an account has from both stores.
func (r Replicas) requireAccount(t *testing.T, owner string, want ...identifier.Identifier) {
	t.Helper()
	for name, s := range r.both() {
		list, err := s.Account(t.Context(), owner)
		require.NoError(t, err)
		got := make([]identifier.Identifier, len(list))
		for i, h := range list {
			got[i] = h.Identifier
			require.Equal(t, storage.Active, h.State)
			require.Equal(t, owner, h.Owner)
		}
		require.ElementsMatch(t, want, got, "by %s", name)
	}
}

// requireState reads a holding from both stores.
func (r Replicas) requireState(t *testing.T, id identifier.Identifier, state storage.State, owner string) {
	t.Helper()
	for name, s := range r.both() {
		standing, err := s.Lookup(t.Context(), id)
		require.NoError(t, err)
		require.NotNil(t, standing.Held, "%s by %s", id.Key(), name)
		require.Equal(t, state, standing.Held.State, "%s by %s", id.Key(), name)
		require.Equal(t, owner, standing.Held.Owner, "%s by %s", id.Key(), name)
	}
}
