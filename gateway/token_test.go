package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// token runs the command, which must succeed, and gives what it printed.
func token(t *testing.T, args ...string) string {
	t.Helper()
	got := finish(t, command(t, append([]string{"token"}, args...)...))
	require.Equal(t, exitOK, got.code, got.err)
	require.Empty(t, got.err)
	require.Regexp(t, `^[\w-]+\.[\w-]+\.[\w-]+\n$`, got.out, "the token alone")
	return strings.TrimSuffix(got.out, "\n")
}

func TestTokensOfADemo(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir)
	as := func(token, query string) string {
		return r.post(t, `{"query": "`+query+`"}`, "Authorization", "Bearer "+token)
	}

	commands := regexp.MustCompile(`-H "Authorization: Bearer \$(\w+_TOKEN)" -H 'Content-Type: application/json' \\\n    -d '(.*)'`).
		FindAllStringSubmatch(r.greeting, -1)
	require.Len(t, commands, 2, r.greeting)
	for _, pasted := range commands {
		value := regexp.MustCompile(pasted[1] + `=(\S+)`).FindStringSubmatch(r.greeting)
		require.NotNil(t, value)
		require.NotContains(t, r.post(t, pasted[2], "Authorization", "Bearer "+value[1]), `"errors"`)
	}

	require.NotContains(t, as(token(t, "--data-dir", dir, "--sub", "user:42"), "{ holdings { canonical } }"), `"errors"`)
	const owner = `{ usernameOwner(name: \"ada\") }`
	require.Contains(t, as(token(t, "--data-dir", dir, "--sub", "user:42"), owner), `"FORBIDDEN"`)
	require.NotContains(t, as(token(t, "--data-dir", dir, "--sub", "sign-up", "--scope", "namegate:service", "--ttl", "1m"), owner), `"errors"`)
	require.Contains(t, as(token(t, "--data-dir", dir, "--sub", "a", "--jwt-issuer", "b"), owner), `"UNAUTHENTICATED"`)

	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
	require.NotContains(t, r.log.String(), "eyJ", "no token is logged")
}

func TestATokenWhereThereIsNoDemo(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	got := finish(t, command(t, "token", "--data-dir", dir, "--sub", "user:42"))
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, dir+" has no demo key")
	require.Empty(t, got.out)

	r := startDev(t, dir, "--no-demo")
	require.NotContains(t, r.greeting, "TOKEN")
	require.NoFileExists(t, filepath.Join(dir, "demo-key"))
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
	require.Contains(t, r.log.String(), "fields that need a role are refused")
}

func TestADemoForOtherMachinesDoesNotStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(dataDir(t), "data")
	got := finish(t, command(t, "dev", "--data-dir", dir, "--http", ":0", "--admin", "127.0.0.1:0",
		"--jwt-key-file", dir)) // which stops it at the latest
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "--http [::]:")
	require.Contains(t, got.err, "--no-demo")
	require.NoDirExists(t, dir)
}

func TestADemoOfServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve := func(args ...string) outcome {
		args = append([]string{
			"serve", "--database", "a=dbname=a", "--identifier-secret-file", dir, "--token-key-file", dir,
			"--data-dir", dir, "--admin", "127.0.0.1:0", "--http",
		}, args...)
		return finish(t, command(t, args...))
	}
	got := serve(":0", "--demo")
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "--no-demo")

	require.Contains(t, serve("127.0.0.1:0").err, "identifier secret", "it stops for want of the secret")
	require.NoFileExists(t, filepath.Join(dir, "demo-key"))
	require.Contains(t, serve("127.0.0.1:0", "--demo").err, "identifier secret")
	require.FileExists(t, filepath.Join(dir, "demo-key"))
	token(t, "--data-dir", dir, "--sub", "user:42")
}
