package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sharedState is where root keeps the clusters of state folders that their
// account cannot enter.
const sharedState = "/var/lib/namegate"

// home is the folder of a cluster and all that belongs to it.
type home struct {
	path    string  // absolute and free of links
	account account // its owner, whom the server runs as
	name    string  // set by identify, once there is data
}

// linkOf is the entry of a state folder that is, or leads to, the home.
func linkOf(dir string) string { return filepath.Join(dir, "pg") }

func (h home) data() string { return filepath.Join(h.path, "data") }

func (h home) logFile() string { return filepath.Join(h.path, "server.log") }

// openHome finds the home of a state folder, or makes both.
func openHome(ctx context.Context, dir string) (home, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return home{}, fmt.Errorf("make state folder: %w", err)
	}
	h, err := findHome(dir)
	if errors.Is(err, ErrNoCluster) {
		if err := makeHome(ctx, dir); err != nil {
			return home{}, err
		}
		h, err = findHome(dir)
	}
	if err != nil {
		return home{}, err
	}
	ok, err := h.account.canEnter(ctx, h.path)
	if err == nil && !ok {
		err = fmt.Errorf("start PostgreSQL as user %d, whom %s belongs to: that user cannot enter the folders above it", h.account.uid, h.path)
	}
	return h, err
}

// findHome fails with ErrNoCluster where there is none yet.
func findHome(dir string) (home, error) {
	if _, err := os.Lstat(linkOf(dir)); errors.Is(err, fs.ErrNotExist) {
		return home{}, fmt.Errorf("%w: %s", ErrNoCluster, dir)
	}
	path, err := filepath.EvalSymlinks(linkOf(dir))
	if err != nil {
		return home{}, fmt.Errorf("find the cluster that %s leads to: %w", linkOf(dir), err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return home{}, err
	}
	owner, err := ownerOf(path)
	if err != nil {
		return home{}, fmt.Errorf("find owner of the cluster: %w", err)
	}
	switch euid := os.Geteuid(); {
	case owner.uid == 0:
		return home{}, fmt.Errorf("%s belongs to root, whom PostgreSQL refuses to run as", path)
	case euid != 0 && owner.other:
		return home{}, fmt.Errorf("%s belongs to user %d, and we run as user %d", path, owner.uid, euid)
	}
	return home{path: path, account: owner}, nil
}

// makeHome makes a folder aside and publishes it in one step, so that neither a
// crash nor another makeHome can leave one without its owner or lock.
func makeHome(ctx context.Context, dir string) error {
	a, err := defaultAccount()
	if err != nil {
		return err
	}
	inside, err := a.canEnter(ctx, dir)
	if err != nil {
		return err
	}
	parent, publish := dir, os.Rename
	if !inside {
		parent, publish = sharedState, os.Symlink
		if err := makeSharedState(); err != nil {
			return err
		}
	}
	path, err := prepareHome(parent, dir, a)
	if err != nil {
		return err
	}
	if err = publish(path, linkOf(dir)); err == nil {
		return nil
	}
	if removeErr := os.RemoveAll(path); errors.Is(err, fs.ErrExist) { // somebody else was first
		return removeErr
	}
	return fmt.Errorf("make cluster folder: %w", err)
}

func makeSharedState() error {
	if err := os.MkdirAll(sharedState, 0o711); err != nil {
		return fmt.Errorf("make folder of clusters: %w", err)
	}
	return os.Chmod(sharedState, 0o711) // whatever the umask took away
}

// prepareHome makes a folder that only the account can enter, with a lock file
// (a rename replaces no folder that holds one) and a note saying whose it is.
func prepareHome(parent, dir string, a account) (string, error) {
	path, err := os.MkdirTemp(parent, "pg-")
	if err != nil {
		return "", fmt.Errorf("make cluster folder: %w", err)
	}
	lock, err := openLock(path, a)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(path))
	}
	note := "PostgreSQL cluster of " + dir + "\n"
	err = errors.Join(
		lock.Close(),
		os.WriteFile(filepath.Join(path, "README"), []byte(note), 0o644),
		a.give(path),
	)
	if err != nil {
		return "", errors.Join(fmt.Errorf("make cluster folder: %w", err), os.RemoveAll(path))
	}
	return path, nil
}
