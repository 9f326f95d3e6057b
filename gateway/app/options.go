package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"namegate/storage/postgres"
)

// The bounds of a reservation's length: long enough to fill a form in, and short
// against the 30 days that its record is kept.
const (
	minReservationTTL = time.Second
	maxReservationTTL = 24 * time.Hour
)

// maxShutdownDelay is longer than any probe takes to be believed.
const maxShutdownDelay = time.Minute

// Database names one database of the registry.
type Database = postgres.Database

// QueryMode is how statements reach the databases.
type QueryMode = postgres.QueryMode

// The query modes.
const (
	CachedStatements = postgres.CachedStatements
	PlainQueries     = postgres.PlainQueries
)

// Databases says where the registry is kept.
type Databases struct {
	// Named are the databases of the registry. With none, it is the embedded
	// PostgreSQL of DataDir.
	Named []Database
	// DataDir keeps the embedded PostgreSQL and the secrets made for it, and the
	// demo key.
	DataDir string
	// IdentifierSecretFile holds the secret that keys are made with. By default
	// it is in DataDir.
	IdentifierSecretFile string
	// QueryMode is how statements reach the databases.
	QueryMode QueryMode
}

// Validate returns all that is wrong, joined. The secret of a database is never
// taken from a folder that happens to be there: migrate would bind the database to it.
func (d Databases) Validate() error {
	if len(d.Named) > 0 && d.IdentifierSecretFile == "" {
		return errors.Join(d.validateNames(), errors.New("--identifier-secret-file is required beside --database"))
	}
	return d.validateNames()
}

func (d Databases) validateNames() error {
	var errs []error
	seen := map[string]bool{}
	for _, named := range d.Named {
		if seen[named.Name] {
			errs = append(errs, fmt.Errorf("--database names %s twice", named.Name))
		}
		seen[named.Name] = true
	}
	return errors.Join(errs...)
}

func (d Databases) identifierSecretFile() string {
	if d.IdentifierSecretFile != "" {
		return d.IdentifierSecretFile
	}
	return filepath.Join(d.DataDir, "identifier-secret")
}

// Options set a replica up. Zero values are no defaults, save where a field says so.
type Options struct {
	Databases
	// Dev has the replica make what is missing: the embedded PostgreSQL when no
	// database is named, the schema, and in DataDir each secret without a file.
	Dev bool
	// HTTP and Admin are the addresses to listen on; port 0 takes any free one.
	HTTP, Admin string
	// TokenKeyFile lists the keys of reservation tokens, newest first. When
	// Dev it is in DataDir by default.
	TokenKeyFile string
	// JWTKeyFile is a JWK set of the keys that access tokens are signed with; "" for
	// none, and then no token is good.
	JWTKeyFile string
	// JWT is what access tokens must name.
	JWT JWT
	// Demo has the replica make a key of its own in DataDir and give access tokens
	// away, to whoever reaches it: both listeners must be on loopback.
	Demo bool
	// Terms are the rules of what accounts may have and change.
	Terms Terms
	// Filter is what answers checks from memory, and Fleet with whom it is shared.
	Filter Filter
	Fleet  Fleet
	// Layers are what else keeps calls from the databases.
	Layers Layers
	// Limits say what one client address may do.
	Limits Limits
	// Retention says how long it is remembered what was done.
	Retention Retention
	// ShutdownDelay is how long a replica that stops still takes calls, for those who send
	// them to learn that it is not ready; at most 1 min.
	ShutdownDelay time.Duration
	// ReservationTTL is how long a reservation lasts, from 1 s to 24 h.
	ReservationTTL time.Duration
	// ReservedWordsFile adds to the embedded list; "" for none.
	ReservedWordsFile string
	// Introspection lets clients read the schema.
	Introspection bool
	// Playground serves a page to try queries on.
	Playground bool
	Logger     *slog.Logger
}

// Validate returns all that is wrong, joined.
func (o Options) Validate() error {
	errs := []error{o.validateNames(), checkAddress("--http", o.HTTP), checkAddress("--admin", o.Admin), o.JWT.Validate(), o.Terms.Validate(), o.Retention.Validate(), o.Layers.Validate(o.Filter), o.Limits.Validate(), o.Fleet.Validate()}
	if !o.Dev {
		errs = append(errs, o.validateSources())
	}
	if o.ReservationTTL < minReservationTTL || o.ReservationTTL > maxReservationTTL {
		errs = append(errs, fmt.Errorf("--reservation-ttl must be from %v to %v", minReservationTTL, maxReservationTTL))
	}
	if o.ShutdownDelay < 0 || o.ShutdownDelay > maxShutdownDelay {
		errs = append(errs, fmt.Errorf("--shutdown-delay must be from 0s to %v", maxShutdownDelay))
	}
	return errors.Join(errs...)
}

// checkAddress refuses what would be listened on everywhere by mistake: nothing,
// or no port.
func checkAddress(flag, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("%s must be HOST:PORT or :PORT: %w", flag, err)
	}
	return nil
}

// validateSources says what a replica in production cannot make for itself.
func (o Options) validateSources() error {
	var errs []error
	if len(o.Named) == 0 {
		errs = append(errs, errors.New("--database is required: a replica without the registry's databases "+
			"would grant names that are taken (to try namegate without any, run `gateway dev`)"))
	}
	if o.IdentifierSecretFile == "" {
		errs = append(errs, errors.New("--identifier-secret-file is required"))
	}
	if o.TokenKeyFile == "" {
		errs = append(errs, errors.New("--token-key-file is required"))
	}
	return errors.Join(errs...)
}

func (o Options) tokenKeyFile() string {
	if o.TokenKeyFile != "" {
		return o.TokenKeyFile
	}
	return filepath.Join(o.DataDir, "token-keys")
}
