package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"namegate/bloomnet/snapshot"
)

// filterFolder gives the replica's id, and where its filter is kept from one start to the
// next. A folder that cannot be written to, or that another replica of this machine uses,
// costs a restart its speed alone: there are no files then, and an id for this start.
func (r *Replica) filterFolder() (id string, files *snapshot.Folder) {
	id, err := r.replicaID()
	if err == nil {
		files, err = r.openFilterFiles(id)
	}
	if err != nil {
		r.log.Warn("the filter is not kept from one start to the next", "cause", err)
		if r.opts.Fleet.ReplicaID == "" {
			id = rand.Text()
		}
	}
	return id, files
}

// openFilterFiles opens the folder of a replica, and makes it when it is missing.
func (r *Replica) openFilterFiles(id string) (*snapshot.Folder, error) {
	path := filepath.Join(r.opts.DataDir, "filter", id)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the filter's folder: %w", err)
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("lock the filter's folder: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("open the filter's folder: %w", err)
	}
	r.undo.add("close the filter's folder", func(context.Context) error {
		_ = root.Close()
		return lock.Close()
	})
	return snapshot.New(snapshot.OS(root)), nil
}

// lockFile locks a file for this process, as long as it is open.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: another replica uses it: %w", path, err)
	}
	return file, nil
}
