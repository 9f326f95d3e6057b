package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// partitioned is a table that is cut by time. Its default partition catches
// what no other one takes, so that a write never fails for want of one.
type partitioned struct {
	table string
	end   func(start time.Time) time.Time
	first func(time.Time) time.Time // start of the partition of an instant
	ahead time.Duration
}

var partitionedTables = []partitioned{
	{
		table: "audit", ahead: 40 * 24 * time.Hour,
		first: func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) },
		end:   func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
	},
}

// partitionInterval is how often partitions are made ahead.
const partitionInterval = 10 * time.Minute

func (s *Store) keepPartitions(ctx context.Context) {
	tick := time.NewTicker(partitionInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, d := range s.databases {
			if err := d.makePartitions(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("make partitions ahead", "database", d.name, "cause", err)
			}
		}
	}
}

func (d *database) makePartitions(ctx context.Context) error {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return makePartitions(ctx, conn.Conn())
}

// makePartitions makes what is missing from the database's now on. Attaching one
// takes no lock that a writer of another partition would wait for; its own wait
// for the default partition is short, as writers would queue behind it. What it
// did not get is left to the next round.
func makePartitions(ctx context.Context, conn *pgx.Conn) error {
	var now time.Time
	if err := conn.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return err
	}
	var errs []error
	for _, p := range partitionedTables {
		for start := p.first(now.UTC()); start.Before(now.Add(p.ahead)); start = p.end(start) {
			if err := p.make(ctx, conn, start); err != nil {
				errs = append(errs, fmt.Errorf("make a partition of %s: %w", p.table, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (p partitioned) make(ctx context.Context, conn *pgx.Conn, start time.Time) error {
	name := p.table + start.Format("_2006010215")
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var there bool
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, partitionLock); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL FROM set_config('lock_timeout', '20ms', true)`, name).Scan(&there)
		if err != nil || there {
			return err
		}
		_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s (LIKE %[2]s INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
			ALTER TABLE %[2]s ATTACH PARTITION %[1]s FOR VALUES FROM ('%[3]s') TO ('%[4]s')`,
			name, p.table, start.Format(time.RFC3339), p.end(start).Format(time.RFC3339)), pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// partitionLock keeps two replicas from making one partition: "partitio" in ASCII.
const partitionLock int64 = 0x7061727469746f
