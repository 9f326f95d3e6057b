package localpg

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"
)

// pauseLimit bounds the time that the system needs to stop processes.
const pauseLimit = 10 * time.Second

// Pause stops the server in its tracks, sessions included, as a machine that
// hangs would: connections stay open and nobody answers. Stop, Kill and Restart
// end a pause.
func (s *Server) Pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(context.Background(), pauseLimit, errors.New("processes did not stop in time"))
	defer cancel()
	return poll(ctx, s.home.pauseSome)
}

// pauseSome says whether all are stopped, else stops what runs: at first only
// the postmaster, which must not start any more of them.
func (h home) pauseSome() (bool, error) {
	running, err := h.serving()
	if err != nil {
		return false, err
	}
	running = slices.DeleteFunc(running, process.isStopped)
	if i := slices.IndexFunc(running, h.isServer); i >= 0 {
		running = running[i : i+1]
	}
	return len(running) == 0, signal(running, syscall.SIGSTOP)
}

// Resume ends a pause.
func (s *Server) Resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.home.serving()
	if err != nil {
		return err
	}
	return signal(all, syscall.SIGCONT)
}
