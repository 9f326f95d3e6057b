package postgres_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

func username(name string) identifier.Identifier {
	return identifier.Stored(identifier.Username, name, name, name)
}

func freshName() identifier.Identifier { return username(strings.ToLower(rand.Text())) }

// nameIn is a fresh name of the given half of the vshards, so of one of two databases.
func nameIn(half int) identifier.Identifier {
	for {
		if id := freshName(); int(storage.VshardOf(id))/(storage.Vshards/2) == half {
			return id
		}
	}
}

func request(names ...identifier.Identifier) storage.ReserveRequest {
	return storage.ReserveRequest{
		Request: storage.NewRequestKey(storage.Anonymous, rand.Text()), Candidates: names, TTL: time.Hour,
	}
}

// requestIn is a request whose record belongs to the given half of the vshards.
func requestIn(half int, names ...identifier.Identifier) storage.ReserveRequest {
	for {
		if r := request(names...); int(r.Request.Vshard)/(storage.Vshards/2) == half {
			return r
		}
	}
}

func reserveFresh(t *testing.T, s *postgres.Store) storage.ReserveRequest {
	t.Helper()
	req := request(freshName())
	_, err := s.Reserve(t.Context(), req)
	require.NoError(t, err)
	return req
}

// requireUnavailable says that a call failed as an outage does.
func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	var unavailable *storage.UnavailableError
	require.ErrorAs(t, err, &unavailable)
	require.Positive(t, unavailable.RetryAfter)
}
