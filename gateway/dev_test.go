package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestTheFirstQueryOfTheGreetingWorks(t *testing.T) {
	t.Parallel()
	r := startDev(t, dataDir(t))
	pasted := regexp.MustCompile(`-d '(.*)'`).FindStringSubmatch(r.greeting)
	require.NotNil(t, pasted, r.greeting)
	require.Contains(t, r.post(t, pasted[1]), `"available":true`)
	for _, label := range []string{"Sign-up page", "Playground", "Readiness"} {
		response, err := http.Get(r.url(t, label))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, label)
	}
	require.Equal(t, exitOK, r.end(t, syscall.SIGHUP), "as when its terminal is closed")
}

func TestADevReplicaFromStartToRecovery(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir)
	granted := r.reserve(t)
	require.Contains(t, granted, `"canonical":"ada"`)

	second := finish(t, command(t, "dev", "--data-dir", dir, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"))
	require.Equal(t, exitError, second.code)
	require.Contains(t, second.err, dir+" is in use by process")
	require.Contains(t, second.err, "--data-dir")

	address := strings.TrimPrefix(strings.TrimSuffix(r.url(t, "Sign-up page"), "/"), "http://")
	second = finish(t, command(t, "dev", "--data-dir", dataDir(t), "--http", address, "--admin", "127.0.0.1:0"))
	require.Equal(t, exitError, second.code)
	require.Contains(t, second.err, "--http "+address+": another program listens")

	require.Equal(t, -1, r.end(t, syscall.SIGKILL))
	r = startDev(t, dir)
	require.Equal(t, granted, r.reserve(t), "an answer survives kill -9, word for word")

	require.Equal(t, exitOK, r.end(t, syscall.SIGINT))
	require.Contains(t, r.log.String(), "msg=stopped")
	_, err := localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning, "PostgreSQL stops too")

	r = startDev(t, dir)
	require.Equal(t, granted, r.reserve(t), "a second start keeps the data")
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
}

func TestASignalWhileItStarts(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	cmd := command(t, "dev", "--data-dir", dir, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "pg"))
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), "it exits with 0")
	startDev(t, dir) // what it left does not hinder the next one
}

func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir, "--shutdown-delay", "1m")
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		response, err := http.Get(r.url(t, "Readiness"))
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusServiceUnavailable
	}, time.Minute, 10*time.Millisecond)
	begun := time.Now()
	require.Equal(t, -1, r.end(t, syscall.SIGTERM), "the signal ends it")
	require.Less(t, time.Since(begun), 30*time.Second, "not the end of its delay")
	startDev(t, dir) // its PostgreSQL has ended, or is taken over
}

func TestReservedWordsAreReadAgain(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	words := filepath.Join(dir, "words")
	write := func(text string) { require.NoError(t, os.WriteFile(words, []byte(text), 0o644)) }
	write("ada.lovelace\n")
	r := startDev(t, dir, "--reserved-words", words)
	require.Contains(t, r.check(t, "ada.lovelace"), `"NOT_ALLOWED"`)

	write("grace*\n")
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return strings.Contains(r.check(t, "grace.hopper"), `"NOT_ALLOWED"`) },
		time.Minute, 20*time.Millisecond)
	require.Contains(t, r.check(t, "ada.lovelace"), `"available":true`)

	write("fine\nnot a word\n")
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGHUP))
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))

	broken := finish(t, command(t, "dev", "--data-dir", dir, "--reserved-words", words))
	require.Equal(t, exitError, broken.code)
	require.Contains(t, broken.err, "line 2")
}
