package postgres

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

// Database names one database of the registry.
type Database struct {
	// Name is what operators call it; it appears in logs and reports. The set of
	// names decides nothing: a database is known by the id it keeps.
	Name string
	// DSN is a connection string or URL of libpq's form.
	DSN string
}

// QueryMode is how statements reach the server.
type QueryMode int

const (
	// CachedStatements prepares each statement once a connection. The default.
	CachedStatements QueryMode = iota
	// PlainQueries leaves nothing on a connection, for poolers in transaction
	// mode, such as pgbouncer.
	PlainQueries
)

// Options say which databases a store uses, and how.
type Options struct {
	Databases []Database
	// Fingerprint stands for everything that decides a key. A database that was
	// made with another one is refused.
	Fingerprint []byte
	QueryMode   QueryMode
	// Terms are the rules of changes. Migrations do without.
	Terms storage.Terms
	// AnyRoutes is for verifications: Open accepts vshards that two databases own, or
	// none, as long as every database of the registry is named.
	AnyRoutes bool
	Logger    *slog.Logger
}

// Validate returns all that is wrong with the options, joined.
func (o Options) Validate() error {
	var errs []error
	if len(o.Databases) == 0 {
		errs = append(errs, errors.New("no database is named"))
	}
	seen := map[string]bool{}
	for _, d := range o.Databases {
		if d.Name == "" || seen[d.Name] {
			errs = append(errs, fmt.Errorf("database name %q is empty or used twice", d.Name))
		}
		seen[d.Name] = true
	}
	if len(o.Fingerprint) == 0 {
		errs = append(errs, errors.New("no key fingerprint"))
	}
	if o.Logger == nil {
		errs = append(errs, errors.New("no logger"))
	}
	return errors.Join(errs...)
}

func (m QueryMode) pgx() pgx.QueryExecMode {
	if m == PlainQueries {
		return pgx.QueryExecModeCacheDescribe
	}
	return pgx.QueryExecModeCacheStatement
}
