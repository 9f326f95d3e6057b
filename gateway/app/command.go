package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"namegate/gateway/bulk"
	"namegate/storage/postgres"
)

// Migrate brings the registry's databases to the schema of this release and
// divides the vshards among them when that was never done. It is safe to repeat.
func Migrate(ctx context.Context, d Databases, log *slog.Logger) error {
	return d.use(ctx, log, func(a access) error { return migrate(ctx, a) })
}

// Import takes the lines of in over as names in use. It is safe to repeat.
func Import(ctx context.Context, d Databases, log *slog.Logger, in io.Reader, report bulk.Report) (sum bulk.Summary, err error) {
	err = d.use(ctx, log, func(a access) error {
		return a.open(ctx, func(store *postgres.Store) (err error) {
			if sum, err = bulk.Import(ctx, store, a.parser, in, report); err != nil {
				return err
			}
			return store.Finish(ctx)
		})
	})
	return sum, err
}

// use reaches the databases, calls do and leaves them as they were found.
func (d Databases) use(ctx context.Context, log *slog.Logger, do func(access) error) error {
	var undo cleanups
	a, err := d.reach(ctx, log, &undo)
	if err == nil {
		err = do(a)
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(err, undo.run(stopping))
}

// open opens the databases for a command that obeys terms, and closes them after do.
func (d Databases) open(ctx context.Context, terms Terms, log *slog.Logger, do func(*postgres.Store) error) error {
	return d.use(ctx, log, func(a access) error {
		a.Terms = terms.storage()
		return a.open(ctx, do)
	})
}

// open opens the databases, and closes them after do.
func (a access) open(ctx context.Context, do func(*postgres.Store) error) error {
	store, err := postgres.Open(ctx, a.Options)
	if err != nil {
		return fmt.Errorf("open the databases: %w", err)
	}
	defer store.Close()
	return do(store)
}
