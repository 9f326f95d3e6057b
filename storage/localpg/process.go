package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// pollInterval is how often a state is looked at that nobody announces.
const pollInterval = 20 * time.Millisecond

// process is one that runs on this machine.
type process struct {
	pid     int
	command string // with its arguments, or the title that it gave itself
}

// identify finds the name that marks each process of the cluster, in its
// arguments or its title. It holds while the folder is moved, and differs from
// that of a container's cluster under the same path.
func (h *home) identify() error {
	fi, err := os.Stat(h.data())
	if err != nil {
		return fmt.Errorf("identify the cluster: %w", err)
	}
	st := fi.Sys().(*syscall.Stat_t) // what os promises on every unix
	h.name = fmt.Sprintf("namegate-%x-%x", st.Dev, st.Ino)
	return nil
}

// nameArgument is the last argument of the cluster's server.
func (h home) nameArgument() string { return "cluster_name=" + h.name }

// isServer is true for the postmaster, and for a child that has no title yet.
func (h home) isServer(p process) bool {
	return strings.HasSuffix(p.command, " "+h.nameArgument())
}

// serving gives the processes of the cluster: server, children, orphans.
func (h home) serving() ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return slices.DeleteFunc(all, func(p process) bool {
		return !h.isServer(p) && !strings.HasPrefix(p.command, "postgres: "+h.name+": ")
	}), nil
}

// signal sends a signal to each; one that is gone needs it no more.
func signal(targets []process, sig syscall.Signal) error {
	for _, p := range targets {
		if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal process %d: %w", p.pid, err)
		}
	}
	return nil
}

// poll calls done until it is true or fails, or ctx ends.
func poll(ctx context.Context, done func() (bool, error)) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
