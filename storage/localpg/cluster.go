package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// major is the version of PostgreSQL that the data is of, 0 when there is none.
func (h home) major() (int, error) {
	text, err := os.ReadFile(filepath.Join(h.data(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read version of the cluster: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// initialise makes the cluster. It takes its name when it is complete and on
// disk, so an interruption leaves nothing that a start would take for data.
func (h home) initialise(ctx context.Context, b binaries) error {
	h.discardUnfinished()
	path, err := os.MkdirTemp(h.path, "initdb-")
	if err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	if err := h.account.give(path); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	_, err = h.account.run(ctx, h.path, b.path("initdb"), "--pgdata="+path, "--username="+superuser,
		"--encoding=UTF8", "--locale=C", "--auth=trust", "--data-checksums")
	if err != nil {
		return fmt.Errorf("make PostgreSQL cluster: %w", err)
	}
	if err := includeSettings(path); err != nil {
		return fmt.Errorf("write settings of PostgreSQL: %w", err)
	}
	if err := os.Rename(path, h.data()); err != nil {
		return fmt.Errorf("publish data folder: %w", err)
	}
	return syncDir(h.path)
}

// discardUnfinished removes what interrupted runs of initdb left. One that is
// still dying may write into its folder: then a later start removes it.
func (h home) discardUnfinished() {
	left, _ := filepath.Glob(filepath.Join(h.path, "initdb-*")) // the pattern is valid
	for _, path := range left {
		_ = os.RemoveAll(path)
	}
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// settingsName is the file of our settings. It stands beside postgresql.conf,
// which holds what initdb found out about the machine, such as which kind of
// shared memory works.
const settingsName = "localpg.conf"

func includeSettings(data string) error {
	f, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\ninclude '%s'\n", settingsName)
	return errors.Join(err, f.Close())
}

// settings are the defaults of each server. Durability is what the gateway
// insists on; the log is for people who look for what went wrong.
var settings = map[string]string{
	"fsync":              "on",
	"synchronous_commit": "on",
	"max_connections":    "200",
	"max_wal_size":       "2GB",
	"log_min_messages":   "warning",
	"log_line_prefix":    "%m [%p] %q%d ",
}

// configure writes our settings anew. ALTER SYSTEM has a file of its own, which
// counts for more.
func (h home) configure(extra map[string]string) error {
	all := maps.Clone(settings)
	maps.Copy(all, extra)
	var b strings.Builder
	b.WriteString("# Written anew at each start.\n")
	quote := strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, quote.Replace(all[name]))
	}
	if err := h.replaceFile(filepath.Join(h.data(), settingsName), b.String()); err != nil {
		return fmt.Errorf("write settings of PostgreSQL: %w", err)
	}
	return nil
}

// replaceFile writes a file of the account in one step.
func (h home) replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close(), h.account.give(f.Name()))
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
