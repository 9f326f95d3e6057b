package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

// nextBuildSQL counts a build. It leaves the tag of the vshards as it is: nothing
// that is remembered of them has changed.
const nextBuildSQL = `
UPDATE vshards SET build = build + 1 WHERE vshard = $1::smallint AND state = 'OWNED' AND ` + isolated + `
RETURNING epoch, build`

// NextBuild gives the number of a new build of a vshard's filter, from 1, and the
// vshard's epoch, as the database that owns it counts. A pair of the two is given
// once, and a later one is higher: by its epoch or, at the same one, by its build.
// Numbers may be left out. It fails with *storage.UnavailableError, also while no
// database owns the vshard, or with the context's error.
func (s *Store) NextBuild(ctx context.Context, v storage.Vshard) (epoch, build uint64, err error) {
	err = s.changeIn(ctx, v, statement{nextBuildSQL, []any{int16(v)}, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&epoch, &build}, func() error { return nil })
		return err
	}})
	switch {
	case err == nil:
		return epoch, build, nil
	case ctx.Err() != nil:
		return 0, 0, ctx.Err()
	case errors.Is(err, errAgain):
		return 0, 0, &storage.UnavailableError{RetryAfter: retryAfter, Cause: err}
	}
	return 0, 0, err
}
