package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dataDir is a folder that every account can enter, so that the cluster of
// root's tests lies in it and is removed with it.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "namegate-gateway-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// replica is a gateway that runs as a process of its own.
type replica struct {
	cmd      *exec.Cmd
	greeting string
	log      *bytes.Buffer // complete after end
}

// startDev starts the dev command on free ports and waits for its greeting.
func startDev(t *testing.T, dir string, args ...string) *replica {
	t.Helper()
	args = append([]string{"dev", "--rate-limit", "off", "--data-dir", dir, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)
	r := &replica{cmd: command(t, args...), log: &bytes.Buffer{}}
	r.cmd.Stderr = r.log
	out, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	t.Cleanup(func() { _ = r.cmd.Process.Kill(); _ = r.cmd.Wait() })
	var greeting bytes.Buffer
	for !strings.Contains(greeting.String(), "Ctrl-C stops it") {
		if _, err := io.CopyN(&greeting, out, 1); err != nil {
			_ = r.cmd.Wait()
			t.Fatalf("it ended: %s\n%s", greeting.String(), r.log)
		}
	}
	r.greeting = greeting.String()
	return r
}

// end sends a signal and gives the exit code, -1 when the signal killed it.
func (r *replica) end(t *testing.T, signal os.Signal) int {
	t.Helper()
	require.NoError(t, r.cmd.Process.Signal(signal))
	if err := r.cmd.Wait(); err != nil {
		require.IsType(t, (*exec.ExitError)(nil), err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// url finds an address in the greeting.
func (r *replica) url(t *testing.T, label string) string {
	t.Helper()
	found := regexp.MustCompile(label + ` +(http://\S+)`).FindStringSubmatch(r.greeting)
	require.NotNil(t, found, r.greeting)
	return found[1]
}

// post sends a body to the GraphQL endpoint; header pairs are added.
func (r *replica) post(t *testing.T, body string, header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url(t, "GraphQL"), strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

func (r *replica) check(t *testing.T, name string) string {
	t.Helper()
	return r.post(t, `{"query": "{ usernameAvailable(name: \"`+name+`\") { available reason } }"}`)
}

// reserve holds ada under a fixed request id.
func (r *replica) reserve(t *testing.T) string {
	t.Helper()
	return r.post(t, `{"query": "mutation { reserveUsername(input: {name: \"ada\", requestId: \"0123456789abcdef01234567\"}) `+
		`{ ... on ReserveUsernamePayload { token reservation { canonical expiresAt } } } }"}`)
}
