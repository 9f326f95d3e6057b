package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for servers: they share few cores.
const patience = 30 * time.Second

// Server is one redis-server process, which can be started again on the same port and
// folder after Kill.
type Server struct {
	// Admin talks to the server without time limits that a test would meet.
	Admin *redis.Client
	Port  int

	args []string
	cmd  *exec.Cmd // nil while none runs
}

// New starts a server that keeps nothing on disk by itself. Each setting is one of
// redis.conf, as name and value in turn.
func New(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{Port: freePort(t)}
	s.args = append(common(t, s.Port), "--save", "", "--enable-debug-command", "yes")
	for i := 0; i+1 < len(settings); i += 2 {
		s.args = append(s.args, "--"+settings[i], settings[i+1])
	}
	s.begin(t)
	return s
}

// common are the settings of all processes.
func common(t testing.TB, port int) []string {
	dir := t.TempDir()
	return []string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
		"--logfile", filepath.Join(dir, "redis.log"), "--daemonize", "no",
	}
}

// begin starts the process, and ends it with the test.
func (s *Server) begin(t testing.TB) {
	t.Helper()
	s.Admin = redis.NewClient(&redis.Options{Addr: s.Addr(), ReadTimeout: patience, Protocol: 2})
	t.Cleanup(func() {
		_ = s.Admin.Close()
		s.end()
	})
	s.Start(t)
}

// Addr is host and port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// URL is the server as the gateway's flag names it.
func (s *Server) URL() string { return "redis://" + s.Addr() }

// Start starts the process, where none runs, and returns when it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	require.NoError(t, err, "redis-server is missing: run .ci/packages redis")
	s.cmd = exec.Command(binary, s.args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the tests is not the server's
	require.NoError(t, s.cmd.Start())
	Eventually(t, func() error { return s.Admin.Ping(context.Background()).Err() })
}

// Kill ends the process at once, as a crash does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NotNil(t, s.cmd, "the server runs")
	s.end()
}

func (s *Server) end() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// Pause stops the process without ending it: its sockets stay open and answer nothing.
func (s *Server) Pause(t testing.TB) { s.signal(t, syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (s *Server) Resume(t testing.TB) { s.signal(t, syscall.SIGCONT) }

func (s *Server) signal(t testing.TB, sig os.Signal) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(sig))
}

// Do runs a command and gives its answer.
func (s *Server) Do(t testing.TB, args ...any) any {
	t.Helper()
	answer, err := s.Admin.Do(context.Background(), args...).Result()
	if err != redis.Nil {
		require.NoError(t, err, "%v", args)
	}
	return answer
}

// follows says why the server is no replica that has what its primary has.
func (s *Server) follows() error {
	info, err := s.Admin.Info(context.Background(), "replication").Result()
	if err == nil && !strings.Contains(info, "master_link_status:up") {
		err = errors.New("replica does not follow")
	}
	return err
}

// Eventually calls until there is no error, for as long as servers may take.
func Eventually(t testing.TB, try func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	require.NoError(t, fmt.Errorf("wait for Redis: %w", err))
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}
