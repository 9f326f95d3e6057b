package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
	"namegate/storage/feed"
)

// nextBuildsSQL counts builds. It leaves the tag of the vshards as it is: nothing
// that is remembered of them has changed. Rows are locked in their order, as two
// replicas may count the same ones.
const nextBuildsSQL = `
WITH locked AS MATERIALIZED (
	SELECT vshard FROM vshards WHERE vshard = ANY ($1::smallint[]) AND state = 'OWNED' AND ` + isolated + ` ORDER BY vshard FOR UPDATE
)
UPDATE vshards v SET build = build + 1 FROM locked l WHERE v.vshard = l.vshard
RETURNING v.vshard, v.epoch, v.build`

// NextBuilds counts builds of vshards.
func (r feedReader) NextBuilds(ctx context.Context, vshards []storage.Vshard) (map[storage.Vshard]feed.Build, error) {
	builds := make(map[storage.Vshard]feed.Build, len(vshards))
	_, err := r.change(ctx, nil, statement{nextBuildsSQL, []any{smallints(vshards)}, func(rows pgx.Rows) error {
		clear(builds) // a run before may have been rolled back
		var v int16
		var b feed.Build
		_, err := pgx.ForEachRow(rows, []any{&v, &b.Epoch, &b.Number}, func() error {
			builds[storage.Vshard(v)] = b
			return nil
		})
		return err
	}})
	if err != nil {
		return nil, outage(ctx, againUnavailable(err))
	}
	return builds, nil
}
