package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// MismatchError says that a database must not be used as it is. Waiting does not help.
type MismatchError struct {
	Reason string // says what to do
}

func (e *MismatchError) Error() string { return e.Reason }

// errStandby says that the server is a standby: it may lag, and cannot write.
var errStandby = errors.New("server is in recovery")

const minimumServer = 140000 // PostgreSQL 14

// traits is what decides whether a database may be used.
type traits struct {
	ServerVersion     int
	Encoding          string
	SynchronousCommit string
	Fsync             string
	InRecovery        bool
	Migrated          bool
}

const readTraits = `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
	current_setting('synchronous_commit'), current_setting('fsync'), pg_is_in_recovery(),
	to_regclass('schema_migrations') IS NOT NULL AND to_regclass('identity') IS NOT NULL`

// checkIdentity refuses a connection to a server that could lose what it
// acknowledged, and to a database of another schema or another registry.
func checkIdentity(ctx context.Context, conn *pgx.Conn, fingerprint []byte) error {
	t, err := checkServer(ctx, conn)
	if err != nil {
		return err
	}
	if !t.Migrated {
		return &MismatchError{"it has no tables of namegate: run `gateway migrate` first"}
	}
	if err := checkSchema(ctx, conn); err != nil {
		return err
	}
	return checkFingerprint(ctx, conn, fingerprint)
}

func checkServer(ctx context.Context, conn *pgx.Conn) (traits, error) {
	rows, _ := conn.Query(ctx, readTraits)
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[traits])
	switch {
	case err != nil:
		return t, err
	case t.InRecovery:
		return t, errStandby
	case t.ServerVersion < minimumServer:
		return t, &MismatchError{fmt.Sprintf("server version %d is older than PostgreSQL 14", t.ServerVersion/10000)}
	case t.Encoding != "UTF8":
		return t, &MismatchError{"its encoding is " + t.Encoding + ", not UTF8"}
	case t.SynchronousCommit == "off" || t.Fsync == "off":
		return t, &MismatchError{"synchronous_commit or fsync is off, so that it may lose names it has acknowledged: turn both on"}
	}
	return t, nil
}

// checkSchema accepts the schema of this release, and one version more when
// that was marked compatible.
func checkSchema(ctx context.Context, conn *pgx.Conn) error {
	newest, err := newestMigration()
	if err != nil {
		return err
	}
	var version int
	var compatible bool
	err = conn.QueryRow(ctx, `SELECT version, compatible FROM schema_migrations ORDER BY version DESC LIMIT 1`).Scan(&version, &compatible)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && version < newest:
		return &MismatchError{"its schema is older than this release: run `gateway migrate` first"}
	case err != nil:
		return err
	case version > newest+1 || version == newest+1 && !compatible:
		return &MismatchError{fmt.Sprintf("its schema has version %d, newer than this release knows (%d): use a newer release", version, newest)}
	}
	return nil
}

func checkFingerprint(ctx context.Context, conn *pgx.Conn, fingerprint []byte) error {
	var kept []byte
	if err := conn.QueryRow(ctx, `SELECT fingerprint FROM identity`).Scan(&kept); err != nil {
		return err
	}
	if kept == nil {
		return &MismatchError{"its migration is not complete: run `gateway migrate` again"}
	}
	if !bytes.Equal(kept, fingerprint) {
		return &MismatchError{"its keys were made with another identifier secret or other rules: start with the secret and settings that it was made with"}
	}
	return nil
}
