package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// urgency is a way to end the processes of a cluster; the next one follows
// when its time is over.
type urgency int

const (
	// fast asks the server to cut its sessions, write a checkpoint and end.
	fast urgency = iota
	// immediate makes all of them leave everything as it is.
	immediate
	// forced is for what does not even do that.
	forced
)

var urgencies = map[urgency]struct {
	signal syscall.Signal
	limit  time.Duration // the checkpoint of a fast shutdown has to write shared_buffers
}{
	fast:      {syscall.SIGINT, time.Minute},
	immediate: {syscall.SIGQUIT, 10 * time.Second},
	forced:    {syscall.SIGKILL, 10 * time.Second},
}

// end ends all processes of the cluster and waits for it. Only the patience of
// a fast shutdown depends on ctx.
func (h home) end(ctx context.Context, from urgency) error {
	for u := from; u <= forced; u++ {
		stageCtx, cancel := context.WithTimeout(ctx, urgencies[u].limit)
		gone, err := h.endBy(stageCtx, u)
		cancel()
		if gone || err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	return fmt.Errorf("end PostgreSQL in %s: it is still there", h.path)
}

// endBy says whether all were gone in time.
func (h home) endBy(ctx context.Context, u urgency) (bool, error) {
	left, err := h.serving()
	if err != nil || len(left) == 0 {
		return err == nil, err
	}
	targets := left
	if u == fast { // the postmaster spreads it; to its children SIGINT means something else
		targets = slices.DeleteFunc(slices.Clone(left), func(p process) bool { return !h.isServer(p) })
	}
	if len(targets) == 0 {
		return false, nil
	}
	// What is paused hears the first signal with the second.
	if err := errors.Join(signal(targets, urgencies[u].signal), signal(left, syscall.SIGCONT)); err != nil {
		return false, err
	}
	err = poll(ctx, func() (bool, error) {
		left, err := h.serving()
		return len(left) == 0, err
	})
	if ctx.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// end ends the server, and is done as well when it ended by itself.
func (s *Server) end(ctx context.Context, from urgency) error {
	if s.child == nil {
		return nil
	}
	s.child.ready.Store(false)
	if err := s.home.end(ctx, from); err != nil {
		return err
	}
	<-s.child.done
	return nil
}

// recover ends what an earlier process left running on the cluster and removes
// the lock files of what is not running: PostgreSQL would take a process that got
// the same number since for the owner of such a file.
func (h home) recover(ctx context.Context, log *slog.Logger) error {
	left, err := h.serving()
	if err != nil {
		return err
	}
	if len(left) > 0 {
		log.Warn("ending PostgreSQL processes that an earlier run left", "folder", h.path, "processes", len(left))
	}
	if err := h.end(ctx, fast); err != nil {
		return err
	}
	f, err := h.readPIDFile()
	if errors.Is(err, fs.ErrNotExist) {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := h.refuseStranger(f.pid); err != nil {
		return err
	}
	h.removeSocketDir(f.socketDir)
	if err := os.Remove(h.pidFilePath()); err != nil {
		return fmt.Errorf("remove lock file of PostgreSQL: %w", err)
	}
	return ctx.Err()
}

// refuseStranger fails when the process is a server that somebody else, such as
// pg_ctl, started on the data.
func (h home) refuseStranger(pid int) error {
	all, err := processes()
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	for _, p := range all {
		if p.pid == pid && strings.Contains(p.command+" ", " -D "+h.data()+" ") {
			return fmt.Errorf("PostgreSQL runs on %s already, as process %d that was not started here: stop it first", h.data(), pid)
		}
	}
	return nil
}
