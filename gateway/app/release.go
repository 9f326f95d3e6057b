package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/postgres"
)

// Holding is an identifier that an account has or had.
type Holding = storage.Holding

// Release has an account give up all that it has. agree is shown what that is, and
// nothing is given up unless it says so; it is not called for an account that has
// nothing. It is safe to repeat.
func Release(ctx context.Context, d Databases, terms Terms, log *slog.Logger, owner string, agree func([]Holding) bool) (released []Holding, err error) {
	err = d.open(ctx, terms, log, func(store *postgres.Store) (err error) {
		has, err := store.Account(ctx, owner)
		if err != nil || len(has) == 0 || !agree(has) {
			return err
		}
		released, err = release(ctx, store, owner)
		return err
	})
	return released, err
}

// operator is who acts in a command, for feed and audit.
const operator = "operator"

// orderTries is how often something is tried whose outcome is not known, or that waits
// for another change: for longer than a dead replica's keeps others waiting.
const orderTries = 15

// insist does what is safe to repeat until it has an answer, so that what it did is told.
// With doubt, an attempt before the last one may have done it.
func insist[T any](ctx context.Context, do func() (T, error)) (result T, doubt bool, err error) {
	for n := 1; ; n++ {
		result, err = do()
		_, away := errors.AsType[*storage.UnavailableError](err)
		_, busy := errors.AsType[*storage.OverloadedError](err)
		if !away && !busy || n == orderTries {
			return result, doubt, err
		}
		doubt = doubt || away
		if err := registry.Sleep(ctx, time.Second); err != nil {
			return result, doubt, err
		}
	}
}

// release sends one request.
func release(ctx context.Context, store storage.Changer, owner string) ([]Holding, error) {
	change := storage.Change{
		Request:   storage.NewUserRequestKey(owner, operator+" "+rand.Text()), // random: a repeat is another request
		Arguments: storage.HashArguments("release", owner),
		Owner:     owner,
		Actor:     operator,
	}
	released, _, err := insist(ctx, func() ([]Holding, error) { return store.Release(ctx, change) })
	return released, err
}
