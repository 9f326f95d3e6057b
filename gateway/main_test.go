package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program is the built gateway.
var program string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "namegate-program-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "gateway")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, text)
	}
	return m.Run(), nil
}

// outcome is what a command that has ended left.
type outcome struct {
	code     int
	out, err string
}

// command prepares the program. Variables of the caller's do not reach it.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "NAMEGATE_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// finish runs a command to its end.
func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		require.IsType(t, (*exec.ExitError)(nil), err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func TestWrongCallsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no command":           {nil, "dev"},
		"unknown command":      {[]string{"fly"}, "fly"},
		"unknown flag":         {[]string{"dev", "--redis", "x"}, "--redis"},
		"serve, no database":   {[]string{"serve"}, "--database is required"},
		"serve, data folder":   {[]string{"serve", "--data-dir", "x"}, "--database is required"},
		"database, no secret":  {[]string{"migrate", "--database", "a=dbname=a"}, "--identifier-secret-file is required"},
		"database without DSN": {[]string{"migrate", "--database", "postgres://u:hunter2@host/db?x=y"}, "NAME=DSN"},
		"unknown query mode":   {[]string{"migrate", "--query-mode", "fast"}, "--query-mode"},
		"no duration":          {[]string{"dev", "--reservation-ttl", "15"}, "--reservation-ttl"},
		"no address":           {[]string{"dev", "--http", "8080"}, "--http"},
		"unknown level":        {[]string{"dev", "--log-level", "loud"}, "--log-level"},
		"import of nothing":    {[]string{"import"}, "<file>"},
		"no issuer":            {[]string{"dev", "--jwt-issuer", ""}, "--jwt-issuer must not be empty"},
		"token of nobody":      {[]string{"token"}, "--sub"},
		"token, odd subject":   {[]string{"token", "--sub", "a\n"}, "subject holds a character"},
		"token, odd scope":     {[]string{"token", "--sub", "a", "--scope", "service"}, "namegate:service"},
		"release, odd owner":   {[]string{"release", "--yes", "--owner", "a\xff"}, "--owner holds U+FFFD"},
		"release, empty owner": {[]string{"release", "--yes", "--owner", ""}, "--owner is empty"},
		"block without note":   {[]string{"block", "ada"}, "--note"},
		"block, empty note":    {[]string{"block", "ada", "--note", ""}, "--note is empty"},
		"block, odd actor":     {[]string{"unblock", "ada", "--note", "x", "--actor", "a\n"}, "--actor holds a character"},
		"block, unknown kind":  {[]string{"block", "ada", "--note", "x", "--kind", "pet"}, "--kind"},
		"token of no time":     {[]string{"token", "--sub", "a", "--ttl", "0"}, "at least a second"},
		"token, no audience":   {[]string{"token", "--sub", "a", "--jwt-audience", ""}, "--jwt-audience must not be empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := finish(t, command(t, tc.args...))
			require.Equal(t, exitUsage, got.code, got.err)
			require.Contains(t, got.err, tc.says)
			require.NotContains(t, got.err, "hunter2")
			require.Empty(t, got.out)
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "version"))
	require.Equal(t, exitOK, got.code)
	require.Regexp(t, `^namegate \S+.*, go1\.\d+`, got.out)
}
