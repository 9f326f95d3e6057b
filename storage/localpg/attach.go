package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// Attach finds the server that runs on a state folder, whoever started it, and
// waits while it is starting. It changes nothing. It fails with ErrNoCluster
// where there is no data, and with ErrNotRunning.
func Attach(ctx context.Context, dir string) (Endpoint, error) {
	h, err := findHome(dir)
	if err != nil {
		return Endpoint{}, err
	}
	major, err := h.major()
	if err != nil {
		return Endpoint{}, err
	}
	if major == 0 {
		return Endpoint{}, fmt.Errorf("%w: %s", ErrNoCluster, dir)
	}
	if err := h.identify(); err != nil {
		return Endpoint{}, err
	}
	var e Endpoint
	err = poll(ctx, func() (bool, error) {
		f, err := h.runningServer()
		e = Endpoint{SocketDir: f.socketDir}
		return f.ready(), err
	})
	if err != nil {
		return Endpoint{}, fmt.Errorf("attach to PostgreSQL in %s: %w", filepath.Clean(dir), err)
	}
	return e, nil
}

// runningServer reads postmaster.pid and believes it only if that process is a
// server of this cluster.
func (h home) runningServer() (pidFile, error) {
	f, err := h.readPIDFile()
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, ErrNotRunning
	}
	if err != nil {
		return pidFile{}, err
	}
	all, err := h.serving()
	if err != nil {
		return pidFile{}, err
	}
	isIt := func(p process) bool { return p.pid == f.pid && h.isServer(p) }
	if !slices.ContainsFunc(all, isIt) {
		return pidFile{}, ErrNotRunning
	}
	return f, nil
}
