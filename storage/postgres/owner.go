package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

// tries is how often a call is sent to the database that seems to own its
// vshard: enough for a switch of a move and a few lost races.
const tries = 5

// onOwner calls the database that owns a vshard, reading the route map again
// when that database says it does not.
func onOwner[Out any](ctx context.Context, s *Store, v storage.Vshard, call func(*database) (Out, verdict, error)) (Out, error) {
	var none Out
	for range tries {
		asked := time.Now()
		d, err := s.routes.of(v)
		if err != nil {
			return none, err
		}
		out, verdict, err := call(d)
		if err != nil || verdict == settled {
			return out, err
		}
		if verdict == astray {
			s.refresh(ctx, asked)
		}
	}
	return none, &storage.UnavailableError{RetryAfter: retryAfter, Cause: errNotOwned}
}

// refresh reads the route map again for a call, which will find out if that failed.
func (s *Store) refresh(ctx context.Context, foundOld time.Time) {
	if err := s.routes.refresh(ctx, foundOld); err != nil {
		s.log.Warn("read the route map", "cause", err)
	}
}

// readOwned reads rows from the database that owns a vshard, as the first column of each
// row must say; the others go into fields, row by row.
func (s *Store) readOwned(ctx context.Context, v storage.Vshard, fields []any, each func() error, sql string, args ...any) error {
	_, err := onOwner(ctx, s, v, func(d *database) (struct{}, verdict, error) {
		ctx, cancel := context.WithTimeout(ctx, runTimeout)
		defer cancel()
		ours := false
		err := d.read(ctx, func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, append([]any{&ours}, fields...), func() error {
				if !ours {
					return nil
				}
				return each()
			})
			return err
		}, sql, args...)
		switch {
		case err != nil:
			return struct{}{}, settled, domainError(err)
		case !ours:
			return struct{}{}, astray, nil
		}
		return struct{}{}, settled, nil
	})
	return err
}

// nothing is to be done for a row that is the only one.
func nothing() error { return nil }

// changeIn writes statements in the database that owns a vshard, maybe more than once:
// each must say by its conditions what was done already.
func (s *Store) changeIn(ctx context.Context, v storage.Vshard, statements ...statement) error {
	_, err := onOwner(ctx, s, v, func(d *database) (struct{}, verdict, error) {
		verdict, err := d.change(ctx, []storage.Vshard{v}, statements...)
		return struct{}{}, verdict, err
	})
	return err
}

// change writes statements that are no part of a batch. With astray the database does
// not own all the vshards, and statements about those have done nothing.
func (d *database) change(ctx context.Context, vshards []storage.Vshard, statements ...statement) (verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	owns := false
	statements = append(slices.Clip(statements), statement{ownsSQL, []any{smallints(vshards)}, scanOne(&owns)})
	for n := 1; ; n++ {
		err := d.write(ctx, statements...)
		switch {
		case err == nil:
			if d.wrote != nil {
				d.wrote()
			}
			if !owns {
				return astray, nil
			}
			return settled, nil
		case n < attempts && rolledBack(err):
			continue
		case disconnected(err) && ctx.Err() == nil:
			return settled, errAgain
		}
		return settled, domainError(err)
	}
}

// ownsSQL says whether a database owns vshards, for the whole of a transaction that is
// past the fence, and whether statements that ask for isolation may do anything.
const (
	ownsSQL  = `SELECT ` + isolated + ` AND count(v.owned) = count(*) FROM unnest($1::smallint[]) AS i (vshard) ` + ownedNow
	ownedNow = `LEFT JOIN LATERAL (SELECT true AS owned FROM vshards o WHERE o.vshard = i.vshard AND o.state = 'OWNED' LIMIT 1) v ON true`
)
