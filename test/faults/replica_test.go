package faults_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// replica is a gateway that runs, with pauses, as a process of its own.
type replica struct {
	id      string
	dataDir string
	args    []string
	client  *http.Client

	cmd      *exec.Cmd
	log      *logbook
	started  time.Time
	url      atomic.Value // string; another one after each start
	admin    atomic.Value // string; as url
	awakened atomic.Int64 // when the last pause ended, in nanoseconds since 1970
}

// replica prepares one, with further flags. What still runs at the end of the test is killed.
func (g *registry) replica(t testing.TB, id string, flags ...string) *replica {
	r := &replica{
		id: id, dataDir: filepath.Join(g.dir, id),
		client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	r.args = append([]string{
		"serve", "--rate-limit", "off", "--shutdown-delay", "0s", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json", "--data-dir", r.dataDir,
		"--replica-id", id, "--staleness", g.staleness.String(), "--token-key-file", g.file("token-keys"),
	}, append(g.databases(), flags...)...)
	t.Cleanup(func() {
		r.end(syscall.SIGKILL)
		if t.Failed() && r.log != nil {
			t.Logf("log of %s since its last start:\n%s", id, r.log)
		}
	})
	return r
}

// start starts the process and waits until it serves.
func (r *replica) start(t testing.TB) *replica {
	t.Helper()
	r.launch(t)
	r.awaitReady(t)
	return r
}

// launch starts the process.
func (r *replica) launch(t testing.TB) {
	t.Helper()
	r.cmd, r.log = program(t, r.args...), newLogbook()
	r.cmd.Stderr = r.log
	r.started = time.Now()
	require.NoError(t, r.cmd.Start())
}

// awaitReady waits until it serves.
func (r *replica) awaitReady(t testing.TB) {
	t.Helper()
	line := r.log.await(t, "ready")
	r.url.Store("http://" + line["http"].(string))
	r.admin.Store("http://" + line["admin"].(string))
}

// end sends a signal that ends the process, and waits for its end.
func (r *replica) end(s syscall.Signal) {
	if r.cmd == nil || r.cmd.ProcessState != nil {
		return
	}
	_ = r.cmd.Process.Signal(s)
	_ = r.cmd.Process.Signal(syscall.SIGCONT) // a process that is paused ends only then
	_ = r.cmd.Wait()
	r.client.CloseIdleConnections()
}

// kill ends the process as a crash would.
func (r *replica) kill() { r.end(syscall.SIGKILL) }

// stop has the process end in order.
func (r *replica) stop(t testing.TB) {
	t.Helper()
	r.end(syscall.SIGTERM)
	require.Zero(t, r.cmd.ProcessState.ExitCode())
}

func (r *replica) pause(t testing.TB) {
	t.Helper()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool { return stopped(r.cmd.Process.Pid) }, patience, time.Millisecond)
}

// stopped says that no thread of a process runs any more, as far as the system tells: what
// is asked from then on is not answered before it goes on.
func stopped(pid int) bool {
	states, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return !slices.ContainsFunc(states, func(path string) bool {
		text, err := os.ReadFile(path)
		_, state, found := strings.Cut(string(text), ") ") // behind the name, which may be anything
		return err == nil && found && !strings.HasPrefix(state, "T")
	})
}

func (r *replica) resume(t testing.TB) {
	t.Helper()
	r.awakened.Store(time.Now().UnixNano())
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGCONT))
}

// memory is what the process has in memory, in bytes.
func (r *replica) memory(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.cmd.Process.Pid))
	require.NoError(t, err)
	var all, resident int
	_, err = fmt.Sscan(string(text), &all, &resident)
	require.NoError(t, err)
	return resident * os.Getpagesize()
}
