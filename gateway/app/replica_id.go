package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// replicaIDs are those that may be given. One is part of a path.
var replicaIDs = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,31}$`)

const replicaIDForm = "1 to 32 of a-z A-Z 0-9 . _ -, and must not begin with a dot"

// replicaID is the one given, or the one in the data folder, which is made when missing or
// empty, as a crash may leave it.
func (r *Replica) replicaID() (string, error) {
	if r.opts.Fleet.ReplicaID != "" {
		return r.opts.Fleet.ReplicaID, nil
	}
	if err := makeDataDir(r.opts.DataDir); err != nil {
		return "", err
	}
	path := filepath.Join(r.opts.DataDir, "replica-id")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := strings.TrimSpace(string(text))
	if id == "" {
		id = rand.Text()
		return id, os.WriteFile(path, []byte(id), 0o644)
	}
	if !replicaIDs.MatchString(id) {
		return "", fmt.Errorf("%s does not hold a replica id (%s): remove it, and one is made", path, replicaIDForm)
	}
	return id, nil
}
