package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// fewNames is how many names a registry holds whose tables count as empty: some,
// for checks to find taken.
const fewNames = 1000

// registry is some databases with a store in this process and a gateway in
// another. All of it is made at the first use.
type registry struct {
	lab   *lab
	name  string
	parts int    // databases
	names uint64 // imported
	anew  bool   // it is emptied and filled again before each sample
	alone bool   // no gateway runs on it
	redis bool   // its gateway shares what it reads in a Redis

	store   *postgres.Store
	options postgres.Options
	address string        // of the gateway
	filled  bool          // all names are imported
	warmed  bool          // a gateway has been asked for a while
	used    atomic.Uint64 // names of the fresh space
}

// prepare brings the registry to where each sample begins.
func (r *registry) prepare(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	if r.filled && !r.anew {
		return nil
	}
	if r.filled {
		if err := r.each(ctx, "TRUNCATE holdings, accounts, slots, requests, feed, audit"); err != nil {
			return err
		}
	}
	r.filled = true
	return r.fill(ctx)
}

func (r *registry) open(ctx context.Context) (err error) {
	if r.store != nil {
		return nil
	}
	if r.options, err = r.createDatabases(ctx); err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, r.options); err != nil {
		return err
	}
	if !r.alone {
		if r.address, err = r.startGateway(ctx); err != nil {
			return err
		}
	}
	if r.store, err = postgres.Open(ctx, r.options); err != nil {
		return err
	}
	r.lab.undo(func() error {
		r.store.Close()
		return nil
	})
	return nil
}

func (r *registry) createDatabases(ctx context.Context) (postgres.Options, error) {
	o := postgres.Options{
		Fingerprint: r.lab.parser.Fingerprint(storage.Vshards),
		Terms:       storage.Terms{Limits: map[identifier.Kind]int{identifier.Username: 1}, Protection: 90 * 24 * time.Hour},
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	for part := range r.parts {
		name := r.name + "_" + string(rune('a'+part))
		if err := r.lab.server.CreateDatabase(ctx, name); err != nil {
			return o, err
		}
		o.Databases = append(o.Databases, postgres.Database{Name: name, DSN: r.lab.server.DSN(name)})
	}
	return o, nil
}

func (r *registry) startGateway(ctx context.Context) (address string, err error) {
	args := []string{
		"serve", "--rate-limit", "off", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json",
		"--identifier-secret-file", r.lab.secretFile(), "--token-key-file", r.lab.tokenKeyFile(),
		"--data-dir", filepath.Join(r.lab.dir, "gateway-"+r.name),
	}
	for _, d := range r.options.Databases {
		args = append(args, "--database", d.Name+"="+d.DSN)
	}
	if r.redis {
		url, err := r.lab.redis(ctx, r.name)
		if err != nil {
			return "", err
		}
		args = append(args, "--redis", url)
	}
	return r.lab.startChild(ctx, r.lab.gateway(), args...)
}

// each runs a statement in each database.
func (r *registry) each(ctx context.Context, statement string) error {
	for _, d := range r.options.Databases {
		if _, err := r.lab.psql(ctx, d.Name, statement); err != nil {
			return fmt.Errorf("database %s: %w", d.Name, err)
		}
	}
	return nil
}

// identifier parses a name, as a gateway would.
func (r *registry) identifier(s space, index uint64) (identifier.Identifier, error) {
	return r.lab.parser.Parse(identifier.Username, string(appendName(nil, s, index)))
}
