package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/localpg"
	"namegate/storage/postgres"
)

// embeddedNames are the databases of the embedded PostgreSQL: two, so that
// routing between them is real.
var embeddedNames = []string{"namegate_a", "namegate_b"}

// access is what opens the databases of the registry, with the parser whose keys they hold.
type access struct {
	postgres.Options
	parser *identifier.Parser
}

// reach finds the databases for a command. It uses the embedded PostgreSQL,
// whether a replica runs on it or not, when no database is named. What it starts
// is stopped by undo.
func (d Databases) reach(ctx context.Context, log *slog.Logger, undo *cleanups) (access, error) {
	if err := d.Validate(); err != nil {
		return access{}, err
	}
	if len(d.Named) > 0 {
		return d.access(d.Named, log)
	}
	a, err := d.attach(ctx, log)
	if errors.Is(err, localpg.ErrNotRunning) {
		return d.embed(ctx, log, undo, nil, false)
	}
	if errors.Is(err, localpg.ErrNoCluster) {
		return access{}, fmt.Errorf("find the embedded PostgreSQL: %w: name the registry's databases by --database, "+
			"or the folder of `gateway dev` by --data-dir", err)
	}
	return a, err
}

// embed starts the embedded PostgreSQL, to be stopped by undo, and makes it when
// it is not there. An end that was not asked for is told to ended, if any. Where another
// process has it, a replica beside that one uses it, too.
func (d Databases) embed(ctx context.Context, log *slog.Logger, undo *cleanups, ended func(error), beside bool) (access, error) {
	server, err := localpg.Start(ctx, localpg.Options{
		Dir:       d.DataDir,
		Databases: embeddedNames,
		OnEnd:     ended,
		Log:       log.With("component", "postgresql"),
	})
	if inUse, ok := errors.AsType[*localpg.InUseError](err); ok {
		if beside {
			return d.attach(ctx, log)
		}
		return access{}, fmt.Errorf("start the embedded PostgreSQL: %w: stop that, or choose another folder by --data-dir", inUse)
	}
	if err != nil {
		return access{}, fmt.Errorf("start the embedded PostgreSQL: %w", err)
	}
	undo.add("stop PostgreSQL", server.Stop)
	return d.access(embedded(server.Endpoint), log)
}

// attach uses the embedded PostgreSQL that another process runs.
func (d Databases) attach(ctx context.Context, log *slog.Logger) (access, error) {
	endpoint, err := localpg.Attach(ctx, d.DataDir)
	if err != nil {
		return access{}, err
	}
	return d.access(embedded(endpoint), log)
}

func embedded(endpoint localpg.Endpoint) []postgres.Database {
	list := make([]postgres.Database, len(embeddedNames))
	for i, name := range embeddedNames {
		list[i] = postgres.Database{Name: name, DSN: endpoint.DSN(name)}
	}
	return list
}

func (d Databases) access(list []postgres.Database, log *slog.Logger) (access, error) {
	parser, err := readParser(d.identifierSecretFile())
	if err != nil {
		return access{}, err
	}
	return access{
		Options: postgres.Options{
			Databases:   list,
			Fingerprint: parser.Fingerprint(storage.Vshards),
			QueryMode:   d.QueryMode,
			Logger:      log,
		},
		parser: parser,
	}, nil
}

// reach finds the databases for a replica, and makes what is missing when it
// may.
func (o Options) reach(ctx context.Context, undo *cleanups, ended func(error)) (access, error) {
	if !o.Dev {
		return o.access(o.Named, o.Logger)
	}
	if err := o.makeSecrets(); err != nil {
		return access{}, err
	}
	var a access
	var err error
	if len(o.Named) > 0 {
		a, err = o.access(o.Named, o.Logger)
	} else {
		a, err = o.embed(ctx, o.Logger, undo, ended, len(o.Fleet.Join) > 0)
	}
	if err != nil {
		return access{}, err
	}
	return a, migrate(ctx, a)
}

// makeSecrets makes those that are missing in DataDir.
func (o Options) makeSecrets() error {
	if err := makeDataDir(o.DataDir); err != nil {
		return err
	}
	if o.IdentifierSecretFile == "" {
		if err := makeSecret(o.identifierSecretFile()); err != nil {
			return err
		}
	}
	if o.TokenKeyFile == "" {
		return makeSecret(o.tokenKeyFile())
	}
	return nil
}

func makeDataDir(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil { // PostgreSQL may run as another user
		return fmt.Errorf("make data folder: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, a access) error {
	if err := postgres.Migrate(ctx, a.Options); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
