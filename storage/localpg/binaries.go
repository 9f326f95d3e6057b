package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the oldest major version of PostgreSQL that the gateway works with.
const oldest = 14

// packageFolders are where packages put the programs when not in PATH: Debian
// and Ubuntu, Alpine, RPMs of postgresql.org, Homebrew, Postgres.app.
var packageFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/libexec/postgresql*",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// binaries is a folder with the programs of one PostgreSQL.
type binaries struct {
	dir   string
	major int
}

func (b binaries) path(program string) string { return filepath.Join(b.dir, program) }

// findBinaries finds the programs that can run a cluster of a major version, or
// those for a new cluster when it is 0: first in PATH, else the newest.
func findBinaries(ctx context.Context, a account, major int) (binaries, error) {
	var packaged []string
	for _, pattern := range packageFolders {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			return binaries{}, fmt.Errorf("look for PostgreSQL in %s: %w", pattern, err)
		}
		packaged = append(packaged, dirs...)
	}
	inPath, err := inspect(ctx, a, filepath.SplitList(os.Getenv("PATH")))
	if err != nil {
		return binaries{}, err
	}
	inPackages, err := inspect(ctx, a, packaged)
	if err != nil {
		return binaries{}, err
	}
	slices.SortStableFunc(inPackages, func(x, y binaries) int { return y.major - x.major })
	return choose(append(inPath, inPackages...), major)
}

// inspect gives the folders that hold all that is needed, with their versions.
func inspect(ctx context.Context, a account, dirs []string) ([]binaries, error) {
	var found []binaries
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) || !complete(dir) {
			continue
		}
		major, err := versionOf(ctx, a, dir)
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("run PostgreSQL as user %d: %w", a.uid, err)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, binaries{dir: dir, major: major})
	}
	return found, nil
}

// complete is false for the folder of Debian's wrappers, among others.
func complete(dir string) bool {
	for _, program := range []string{"initdb", "postgres", "psql"} {
		if _, err := exec.LookPath(filepath.Join(dir, program)); err != nil {
			return false
		}
	}
	return true
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func versionOf(ctx context.Context, a account, dir string) (int, error) {
	out, err := a.run(ctx, "/", filepath.Join(dir, "postgres"), "--version")
	if err != nil {
		return 0, err
	}
	m := versionPattern.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("read version of PostgreSQL in %s: %q", dir, out)
	}
	return strconv.Atoi(m[1])
}

// choose takes the first that fits.
func choose(found []binaries, major int) (binaries, error) {
	var others []string
	for _, b := range found {
		if b.major == major || (major == 0 && b.major >= oldest) {
			return b, nil
		}
		others = append(others, fmt.Sprintf("%d in %s", b.major, b.dir))
	}
	wanted := fmt.Sprintf("%d or newer", oldest)
	if major != 0 {
		wanted = fmt.Sprintf("%d, which wrote the data here", major)
	}
	if len(others) == 0 {
		others = []string{"none"}
	}
	return binaries{}, fmt.Errorf("find PostgreSQL %s: there is %s; install its server and client "+
		"(Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; "+
		"Alpine: apk add postgresql; Arch: pacman -S postgresql; macOS: brew install postgresql@17), "+
		"or put its programs in PATH", wanted, strings.Join(others, ", "))
}
