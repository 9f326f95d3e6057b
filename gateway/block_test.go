package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// orders gives a function that runs a command on an embedded registry, with input.
func orders(t *testing.T, dir string) func(in string, args ...string) outcome {
	t.Helper()
	return func(in string, args ...string) outcome {
		t.Helper()
		cmd := command(t, append(args, "--data-dir", dir)...)
		cmd.Stdin = strings.NewReader(in)
		return finish(t, cmd)
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir)
	importLines(t, dir, "grace.hopper,user:1\nada.lovelace\n")
	run := orders(t, dir)
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"block", "Ada"}, "USERNAME Ada is blocked: nobody can have it\n"},
		{[]string{"block", "ada"}, "USERNAME Ada was blocked already: nobody can have it\n"},
		{[]string{"block", "grace.hopper"}, "USERNAME grace.hopper is blocked: user:1 keeps it\n"},
		{[]string{"block", "ada.lovelace"}, "USERNAME ada.lovelace is blocked: it stays in use, without an owner\n"},
		{[]string{"unblock", "grace.hopper"}, "USERNAME grace.hopper is not blocked any more: user:1 has it\n"},
	} {
		got := run("", append(step.args, "--note", "a trademark", "--actor", "eve")...)
		require.Equal(t, exitOK, got.code, got.err)
		require.Equal(t, step.want, got.out)
	}
	// A replica hears of it by the feed.
	require.Eventually(t, func() bool { return strings.Contains(r.check(t, "ada"), `"NOT_ALLOWED"`) }, 10*time.Second, 10*time.Millisecond)
	require.NotContains(t, r.reserve(t), `"token"`)
	require.Equal(t, exitOK, run("", "verify").code)
	require.Equal(t, "1", execute(t, dir, databaseOf(t, dir, "ada"), `SELECT count(*) FROM audit WHERE key = 'ada' AND cause = 'BLOCK' AND actor = 'eve' AND note = 'a trademark'`))

	got := run("", "unblock", "ada", "--note", "settled")
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "USERNAME ada is not blocked any more: it is free\n", got.out)
	got = run("", "unblock", "ada", "--note", "settled")
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "identifier is not blocked")
	require.Eventually(t, func() bool { return strings.Contains(r.reserve(t), `"token"`) }, 10*time.Second, 10*time.Millisecond)
	got = run("", "block", "ada", "--note", "a trademark")
	require.Equal(t, "USERNAME ada is blocked: its reservation cannot be confirmed\n", got.out)
	got = run("", "unblock", "ada", "--note", "settled")
	require.Regexp(t, `^USERNAME ada is not blocked any more: it is reserved until 20\S+Z\n$`, got.out)
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
}

// databaseOf is the embedded database that has a row of a name.
func databaseOf(t *testing.T, dir, key string) string {
	t.Helper()
	if execute(t, dir, "namegate_a", `SELECT count(*) FROM holdings WHERE key = '`+key+`'`) == "1" {
		return "namegate_a"
	}
	return "namegate_b"
}

func TestBlockFormer(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	startDev(t, dir)
	importLines(t, dir, "grace.hopper,user:1\n")
	run := orders(t, dir)
	require.Equal(t, exitOK, run("", "release", "--owner", "user:1", "--yes").code)
	require.Equal(t, "USERNAME grace.hopper is blocked: its former owner user:1 cannot take it back\n",
		run("", "block", "grace.hopper", "--note", "a trademark").out)
	require.Regexp(t, `^USERNAME grace.hopper is not blocked any more: it is kept for its former owner user:1 until 20\S+Z\n$`,
		run("", "unblock", "grace.hopper", "--note", "settled").out)
}

// A private value is read from standard input, and is in no output or log.
func TestBlockPrivate(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	startDev(t, dir)
	run := orders(t, dir)
	private := func(in string, args ...string) outcome {
		got := run(in, append(args, "--kind", "email", "--note", "abuse", "--log-level", "debug")...)
		require.NotContains(t, got.out+got.err, "eve")
		return got
	}
	got := private("eve@Example.org\n", "block", "-")
	require.Equal(t, exitOK, got.code, got.err)
	require.Regexp(t, `^EMAIL [0-9a-f]{64} is blocked: nobody can have it\n$`, got.out)
	got = private("", "block", "eve@example.org")
	require.Contains(t, got.out, "was blocked already")
	got = private("eve", "block", "-")
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "value breaks rules of form")
	require.Equal(t, exitOK, private("eve@example.org", "unblock", "-").code)
	require.Equal(t, exitError, private("eve@example.org", "unblock", "-").code)
}
