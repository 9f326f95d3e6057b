package localpg

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// CreateDatabase creates an empty database.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	// Nobody can be connected to template0, which would make the copy fail.
	_, err := s.psql(ctx, "CREATE DATABASE "+quoteIdentifier(name)+" TEMPLATE template0")
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// DropDatabase removes a database and cuts the sessions that use it.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	_, err := s.psql(ctx, "DROP DATABASE "+quoteIdentifier(name)+" WITH (FORCE)")
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

func (s *Server) createMissing(ctx context.Context, names []string) error {
	out, err := s.psql(ctx, "SELECT datname FROM pg_database")
	if err != nil {
		return fmt.Errorf("list databases: %w", err)
	}
	there := strings.Split(out, "\n")
	for _, name := range names {
		if slices.Contains(there, name) {
			continue
		}
		if err := s.CreateDatabase(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// psql runs one statement as the superuser and gives its rows, one a line.
func (s *Server) psql(ctx context.Context, statement string) (string, error) {
	return s.home.account.run(ctx, s.home.path, s.bins.path("psql"),
		"--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1",
		"--dbname="+s.DSN("postgres"), "--command="+statement)
}

func quoteIdentifier(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
