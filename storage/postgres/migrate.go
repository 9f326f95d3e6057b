package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"namegate/migrations"
)

// migration is one numbered file.
type migration struct {
	version    int
	compatible bool // gateways of the release before may go on
	sql        string
}

// compatibleMark is the first line of a migration that the release before can live with.
const compatibleMark = "-- compatible\n"

func readMigrations() ([]migration, error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	list := make([]migration, len(names))
	for i, name := range names {
		sql, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s is out of order", name)
		}
		list[i] = migration{version, strings.HasPrefix(string(sql), compatibleMark), string(sql)}
	}
	return list, nil
}

func newestMigration() (int, error) {
	list, err := readMigrations()
	return len(list), err
}

// migrationLock keeps two migrations of one database apart. It ends with its
// transaction, as a pooler may lend the connection to another client: "migrate" in ASCII.
const migrationLock int64 = 0x6d696772617465

// Migrate brings every database to the schema of this release, divides the
// vshards among them if that was never done, and is safe to repeat.
func Migrate(ctx context.Context, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	conns := make([]*pgx.Conn, len(o.Databases))
	for i, named := range o.Databases {
		conn, err := connectToMigrate(ctx, o, named)
		if err != nil {
			return fmt.Errorf("connect to database %s: %w", named.Name, err)
		}
		defer conn.Close(context.WithoutCancel(ctx))
		conns[i] = conn
	}
	for i, conn := range conns {
		if err := migrateOne(ctx, conn, o.Fingerprint); err != nil {
			return fmt.Errorf("migrate database %s: %w", o.Databases[i].Name, err)
		}
	}
	return assign(ctx, conns)
}

func connectToMigrate(ctx context.Context, o Options, named Database) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(named.DSN)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = o.QueryMode.pgx()
	config.ConnectTimeout = connectTimeout
	return pgx.ConnectConfig(ctx, config)
}

func migrateOne(ctx context.Context, conn *pgx.Conn, fingerprint []byte) error {
	if _, err := checkServer(ctx, conn); err != nil {
		return err
	}
	list, err := readMigrations()
	if err != nil {
		return err
	}
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return apply(ctx, tx, list) }); err != nil {
		return err
	}
	if err := stampFingerprint(ctx, conn, fingerprint); err != nil {
		return err
	}
	if err := firstPartitions(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `ANALYZE `+registryTables)
	return err
}

// registryTables are all tables of a database of the registry. A server has others, which
// the owner of the registry may not analyze.
const registryTables = `schema_migrations, identity, vshards, holdings, accounts, slots, requests, feed, feed_past, audit`

// partitionPause is how long a migration leaves the writers alone between two
// tries to attach a partition.
const partitionPause = 200 * time.Millisecond

// firstPartitions tries until all partitions are there.
func firstPartitions(ctx context.Context, conn *pgx.Conn) error {
	for {
		err := makePartitions(ctx, conn)
		if sqlState(err) != lockNotAvailable {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(partitionPause):
		}
	}
}

// apply runs, in one transaction, the migrations that a database lacks.
func apply(ctx context.Context, tx pgx.Tx, list []migration) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_migrations (
		version integer PRIMARY KEY, compatible boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
	if err != nil {
		return err
	}
	// Functions keep this path (FROM CURRENT), so that they find their tables with any other.
	if _, err := tx.Exec(ctx, `SELECT set_config('search_path', quote_ident(current_schema()), true)`); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM schema_migrations`).Scan(&version); err != nil {
		return err
	}
	if version > len(list) {
		return &MismatchError{fmt.Sprintf("its schema has version %d, newer than this release knows (%d)", version, len(list))}
	}
	for _, m := range list[version:] {
		if _, err := tx.Exec(ctx, m.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("apply migration %d: %w", m.version, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO schema_migrations (version, compatible) VALUES ($1, $2)`, m.version, m.compatible); err != nil {
			return err
		}
	}
	return nil
}

// stampFingerprint binds a new database to what decides its keys.
func stampFingerprint(ctx context.Context, conn *pgx.Conn, fingerprint []byte) error {
	if _, err := conn.Exec(ctx, `UPDATE identity SET fingerprint = $1 WHERE fingerprint IS NULL`, fingerprint); err != nil {
		return err
	}
	return checkFingerprint(ctx, conn, fingerprint)
}
