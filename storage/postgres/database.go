package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connectTimeout = 3 * time.Second
	runTimeout     = 2500 * time.Millisecond // of one batch: longer than the server's own limits, shorter than an operation's
	batchSize      = 512
	waitingLimit   = 8192
	// workers is how many batches of one sort may be in flight to one database: one is
	// executed while the commit of another reaches the disk.
	workers = 2
	crowd   = 64
	// kinds of batch, changes of accounts, then route map, health, a poll of the
	// feed and imports, copies for a build and for a comparison
	maxConns = 3*workers + 8 + 3 + 2
)

// database is one database of the registry with the batches on their way to it.
type database struct {
	name string
	pool *pgxpool.Pool
	// ownership is what the last reading of its vshards said; outdated says that a
	// statement has found another tag since.
	ownership atomic.Pointer[ownership]
	outdated  atomic.Bool

	lookups  batcher[lookup, lookupResult]
	steps    batcher[step, stepResult]
	releases batcher[release, releaseResult]

	wrote func() // of tests, after each write of a saga that was committed; else nil
}

// newDatabase makes the pool and starts the batches. It connects to nothing:
// every connection is checked when it is made, so that none to a wrong or unsafe
// database is ever used.
func newDatabase(ctx context.Context, o Options, named Database) (*database, error) {
	config, err := poolConfig(o, named)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", named.Name, err)
	}
	d := &database{name: named.Name, pool: pool}
	d.ownership.Store(new(ownership))
	startBatches(&d.lookups, d.lookup, func(l lookup) any { return placeOf(l.id) }, true)
	startBatches(&d.steps, d.take, step.row, true)
	startBatches(&d.releases, d.release, func(r release) any { return placeOf(r.id) }, false)
	return d, nil
}

func startBatches[In, Out any](b *batcher[In, Out], run func(context.Context, []In) ([]Out, error), key func(In) any, repeatable bool) {
	b.run, b.key, b.repeatable = run, key, repeatable
	b.timeout, b.size, b.crowd, b.limit = runTimeout, batchSize, crowd, waitingLimit
	b.start(workers)
}

func poolConfig(o Options, named Database) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(named.DSN)
	if err != nil {
		return nil, fmt.Errorf("read the DSN of database %s: %w", named.Name, err)
	}
	config.MaxConns = maxConns
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.DefaultQueryExecMode = o.QueryMode.pgx()
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := checkIdentity(ctx, conn, o.Fingerprint); err != nil {
			return fmt.Errorf("database %s: %w", named.Name, err)
		}
		return nil
	}
	return config, nil
}

// close lets what waits go through, then closes the connections.
func (d *database) close() {
	d.lookups.close()
	d.steps.close()
	d.releases.close()
	d.pool.Close()
}

// division is the database's id, and those of all that divided the vshards with it.
func (d *database) division(ctx context.Context) (id [16]byte, fleet [][16]byte, err error) {
	err = d.pool.QueryRow(ctx, `SELECT id, fleet FROM identity`).Scan(&id, &fleet)
	return id, fleet, err
}

// id is the random id that the database keeps.
func (d *database) id(ctx context.Context) (id [16]byte, err error) {
	err = d.pool.QueryRow(ctx, `SELECT id FROM identity`).Scan(&id)
	return id, err
}
