package app

import (
	"context"
	"log/slog"

	"namegate/storage"
	"namegate/storage/postgres"
)

// Verification is what a verification found.
type Verification = storage.Verification

// Verify looks for broken guarantees in all databases of the registry, and writes
// nothing. progress is called now and then.
func Verify(ctx context.Context, d Databases, terms Terms, log *slog.Logger, progress func(storage.Verified)) (v Verification, err error) {
	err = d.use(ctx, log, func(a access) error {
		a.Terms, a.AnyRoutes = terms.storage(), true
		return a.open(ctx, func(store *postgres.Store) (err error) {
			v, err = store.Verify(ctx, progress)
			return err
		})
	})
	return v, err
}
