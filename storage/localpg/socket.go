package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxSocketPath is the longest path of a unix socket, in bytes, that every
// system takes: macOS has 104 with the final NUL, Linux 108.
const maxSocketPath = 103

// socketFolderPrefix begins the name of a socket folder outside its home.
const socketFolderPrefix = "namegate-pg-"

// socketDir is the home where its path is fit for a socket, else a new folder
// in a short place that only the account can enter. A server writes it to
// postmaster.pid, where Attach finds it.
func (h home) socketDir(ctx context.Context) (string, error) {
	if fitsSocket(h.path) {
		return h.path, nil
	}
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		if !fitsSocket(filepath.Join(parent, socketFolderPrefix+"1234567890")) {
			continue
		}
		ok, err := h.account.canEnter(ctx, parent)
		if err != nil {
			return "", err
		}
		if ok {
			return h.makeSocketDir(parent)
		}
	}
	return "", fmt.Errorf("make socket folder: user %d cannot enter /tmp", h.account.uid)
}

func (h home) makeSocketDir(parent string) (string, error) {
	path, err := os.MkdirTemp(parent, socketFolderPrefix)
	if err != nil {
		return "", fmt.Errorf("make socket folder: %w", err)
	}
	if err := h.account.give(path); err != nil {
		return "", errors.Join(fmt.Errorf("make socket folder: %w", err), os.Remove(path))
	}
	return path, nil
}

// fitsSocket is true for a folder whose path is short enough and means the same
// in a connection string, where a comma parts hosts, and in the server's settings.
func fitsSocket(dir string) bool {
	return len(filepath.Join(dir, socketName)) <= maxSocketPath && !strings.ContainsAny(dir, ",'\"\\\n")
}

// removeSocketDir removes what a server left in its socket folder, and the
// folder itself if socketDir made it.
func (h home) removeSocketDir(dir string) {
	owner, err := ownerOf(dir)
	if err != nil || owner.uid != h.account.uid {
		return
	}
	for _, name := range []string{socketName, socketName + ".lock"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	if strings.HasPrefix(filepath.Base(dir), socketFolderPrefix) {
		_ = os.Remove(dir)
	}
}
