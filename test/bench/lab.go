package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"namegate/storage/identifier"
	"namegate/storage/localpg"
)

// sharedBuffers holds the indexes of ten million names, as an operator's setting
// would; PostgreSQL's default is for a machine of 1 GB at most.
const sharedBuffers = "1GB"

// lab is what all measurements share, in a folder of its own. Its zero value has
// not been opened.
type lab struct {
	dir    string
	server *localpg.Server
	parser *identifier.Parser
	undone []func() error // done by close, the last one first
}

// open starts PostgreSQL and builds the gateway. Also when it fails, what it has
// done is undone by close.
func (l *lab) open(ctx context.Context) (err error) {
	if l.dir, err = os.MkdirTemp("", "namegate-bench-"); err != nil {
		return err
	}
	l.undo(func() error { return os.RemoveAll(l.dir) })
	if err := os.Chmod(l.dir, 0o711); err != nil { // PostgreSQL may run as another user
		return err
	}
	if err := l.makeSecrets(); err != nil {
		return err
	}
	if err := l.buildGateway(ctx); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	settings := map[string]string{"shared_buffers": sharedBuffers}
	if l.server, err = localpg.Start(ctx, localpg.Options{Dir: l.dir, Settings: settings, Log: log}); err != nil {
		return err
	}
	l.undo(func() error { return l.server.Stop(context.WithoutCancel(ctx)) })
	return nil
}

// undo adds what close does, before what is there already.
func (l *lab) undo(step func() error) { l.undone = append(l.undone, step) }

// close ends all that was started and removes the folder.
func (l *lab) close() error {
	var errs []error
	for _, step := range slices.Backward(l.undone) {
		errs = append(errs, step())
	}
	return errors.Join(errs...)
}

func (l *lab) secretFile() string   { return filepath.Join(l.dir, "identifier-secret") }
func (l *lab) tokenKeyFile() string { return filepath.Join(l.dir, "token-keys") }
func (l *lab) gateway() string      { return filepath.Join(l.dir, "gateway") }

// makeSecrets makes those that a gateway reads, and the parser of the same keys.
func (l *lab) makeSecrets() (err error) {
	for _, path := range []string{l.secretFile(), l.tokenKeyFile()} {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // it never fails
		text := hex.AppendEncode(nil, secret)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		if path == l.secretFile() {
			if l.parser, err = identifier.NewParser(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// buildGateway builds the program as it is served.
func (l *lab) buildGateway(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-o", l.gateway(), "namegate/gateway").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the gateway: %w\n%s", err, out)
	}
	return nil
}

// describe says what is measured on.
func (l *lab) describe(ctx context.Context) (string, error) {
	version, err := l.psql(ctx, maintenance, "SHOW server_version")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("One machine for servers and load: %d cores, %s/%s, %s, PostgreSQL %s as package localpg sets it up (fsync on), shared_buffers %s.",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), version, sharedBuffers), nil
}
