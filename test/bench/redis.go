package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// redis starts a Redis for one registry, and gives its URL. A gateway needs not wait for it.
func (l *lab) redis(ctx context.Context, name string) (url string, err error) {
	dir := filepath.Join(l.dir, "redis-"+name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	socket := filepath.Join(dir, "socket")
	cmd := exec.CommandContext(ctx, "redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start redis-server: %w", err)
	}
	l.undo(func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // how it ends is of no interest
		return nil
	})
	return "unix://" + socket, nil
}
