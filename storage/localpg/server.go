package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// Options say which cluster to start and how.
type Options struct {
	// Dir is the state folder. It is created when missing.
	Dir string
	// Databases are created when missing.
	Databases []string
	// Settings are those of postgresql.conf, over those of this package. What
	// decides who can reach the server cannot be set.
	Settings map[string]string
	// OnEnd is called when the server has ended by itself, with why; nil for nobody.
	OnEnd func(error)
	// Log hears of starts, of recovery and of an end that nobody asked for; nil for none.
	Log *slog.Logger
}

// Server is a PostgreSQL server with its cluster, kept for this process alone
// until Stop. Its methods may be called at the same time.
type Server struct {
	Endpoint
	home  home
	bins  binaries
	log   *slog.Logger
	onEnd func(error)
	lock  *os.File

	mu    sync.Mutex // held by whatever starts, stops or pauses
	child *child     // nil before the first launch and after Stop
}

// Start brings up the cluster of a folder, which it makes first when there is
// none, and returns when the server takes connections. It fails with
// *InUseError when another Start holds the folder.
func Start(ctx context.Context, o Options) (*Server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find state folder: %w", err)
	}
	h, err := openHome(ctx, dir)
	if err != nil {
		return nil, err
	}
	lock, err := h.lock(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{home: h, lock: lock, log: o.Log, onEnd: o.OnEnd}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.begin(ctx, o); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// begin recovers or makes the cluster, launches the server and creates databases.
func (s *Server) begin(ctx context.Context, o Options) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	major, err := s.home.major()
	if err != nil {
		return err
	}
	if s.bins, err = findBinaries(ctx, s.home.account, major); err != nil {
		return err
	}
	if major == 0 {
		s.log.Info("creating a PostgreSQL cluster", "folder", s.home.path, "version", s.bins.major)
		if err := s.home.initialise(ctx, s.bins); err != nil {
			return err
		}
	}
	if err := s.home.identify(); err != nil {
		return err
	}
	if err := s.home.recover(ctx, s.log); err != nil {
		return err
	}
	if err := s.home.configure(o.Settings); err != nil {
		return err
	}
	if s.SocketDir, err = s.home.socketDir(ctx); err != nil {
		return err
	}
	if err := s.launch(ctx); err != nil {
		return err
	}
	return s.createMissing(ctx, o.Databases)
}

// Stop shuts the server down fast: sessions are cut, what was committed is
// written. When ctx ends first it goes on without the checkpoint, and the next
// start recovers. It releases the folder and may be called again.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	err := s.end(ctx, fast)
	if err == nil {
		s.home.removeSocketDir(s.SocketDir)
	}
	err = errors.Join(err, unlock(s.lock))
	s.lock, s.child = nil, nil
	return err
}

// Kill ends the server at once, as a crash would. The folder stays ours: Restart
// brings the server back.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(context.Background(), immediate)
}

// Restart stops the server, if it still runs, and launches it again under the
// same addresses. It fails with ErrStopped after Stop.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return ErrStopped
	}
	if err := s.end(ctx, fast); err != nil {
		return err
	}
	if err := s.home.recover(ctx, s.log); err != nil {
		return err
	}
	return s.launch(ctx)
}

// PID is the process id of the server, which leads its own process group; 0 after Stop.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		return 0
	}
	return s.child.pid
}
