package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// startLimit ends a start that hangs. Replaying max_wal_size after a crash
	// takes a slow disk about a minute.
	startLimit = 3 * time.Minute
	// maxLog is the size in bytes from which a start begins the log anew.
	maxLog = 16 << 20
)

// child is a postmaster that this process started.
type child struct {
	pid  int
	done chan struct{} // closed when it has ended and err is set
	err  error
	// ready is true from when it takes connections to when it is asked to end: an
	// end in between is reported.
	ready atomic.Bool
}

// launch starts the server and waits until it takes connections.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("PostgreSQL did not get ready in time"))
	defer cancel()
	log, err := s.home.openLog()
	if err != nil {
		return fmt.Errorf("open log of PostgreSQL: %w", err)
	}
	defer log.Close()
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open log of PostgreSQL: %w", err)
	}
	c, err := startChild(s.serverCommand(log), s.ended)
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.child = c
	if err := s.awaitReady(ctx); err != nil {
		return fmt.Errorf("start PostgreSQL: %w%s", err, tail(log, before))
	}
	c.ready.Store(true)
	s.log.Info("PostgreSQL is ready", "pid", s.child.pid, "version", s.bins.major, "socket_folder", s.SocketDir)
	return nil
}

// serverCommand sets what decides who can reach the server in its arguments, out
// of reach of all other settings. It does not end with the context of its start.
func (s *Server) serverCommand(log *os.File) *exec.Cmd {
	cmd := s.home.account.command(context.Background(), s.home.path, s.bins.path("postgres"),
		"-D", s.home.data(), "-p", fmt.Sprint(port),
		"-c", "listen_addresses=", "-c", "unix_socket_directories="+s.SocketDir,
		"-c", "unix_socket_permissions=0700", "-c", s.home.nameArgument())
	cmd.Stdout, cmd.Stderr = log, log
	return cmd
}

// startChild starts a command that is asked for a fast shutdown when this
// process dies, and waits for its end beside the caller.
func startChild(cmd *exec.Cmd, ended func(*child)) (*child, error) {
	endWithParent(cmd, syscall.SIGINT)
	c := &child{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // what endWithParent asks for
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.pid = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		c.err = cmd.Wait()
		if c.ready.Load() {
			ended(c)
		}
		close(c.done)
	}()
	return c, <-started
}

// ended reports an end that nobody asked for.
func (s *Server) ended(c *child) {
	s.log.Error("PostgreSQL has ended", "pid", c.pid, "error", c.err)
	if s.onEnd != nil {
		s.onEnd(c.err)
	}
}

func (s *Server) awaitReady(ctx context.Context) error {
	return poll(ctx, func() (bool, error) {
		select {
		case <-s.child.done:
			return false, fmt.Errorf("it ended: %w", s.child.err)
		default:
		}
		f, err := s.home.readPIDFile()
		return err == nil && f.pid == s.child.pid && f.ready(), nil
	})
}

// openLog opens the server's log for appending.
func (h home) openLog() (*os.File, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_APPEND | syscall.O_NOFOLLOW
	if fi, err := os.Lstat(h.logFile()); err == nil && fi.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(h.logFile(), flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := h.account.give(h.logFile()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// tail quotes the end of what was logged since an offset, as lines of an error.
func tail(log io.ReaderAt, since int64) string {
	text, err := io.ReadAll(io.NewSectionReader(log, since, maxLog))
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "; its log ends with:\n" + strings.Join(lines[max(0, len(lines)-10):], "\n")
}
