package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// FS is a folder with folders in it. Its errors are those of package fs. Rename replaces
// what has the new name, in one instant. What is written, created, renamed or removed may
// be lost in a crash, in any order, until the file or the folder has been synced.
type FS interface {
	Open(name string) (fs.File, error)
	Create(name string) (File, error) // there must be none
	Rename(from, to string) error
	Remove(name string) error
	Mkdir(name string) error
	ReadDir(name string) (names []string, err error)
	SyncDir(name string) error
}

// File is a file that is being written.
type File interface {
	io.WriteCloser
	Sync() error
}

// OS is the file system below root.
func OS(root *os.Root) FS { return osFS{root} }

type osFS struct{ root *os.Root }

// Open opens regular files alone: others may keep whoever opens them waiting for ever.
func (o osFS) Open(name string) (fs.File, error) {
	info, err := o.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return o.root.Open(name)
}

var errNotRegular = errors.New("not a regular file")

func (o osFS) Rename(from, to string) error { return o.root.Rename(from, to) }
func (o osFS) Remove(name string) error     { return o.root.Remove(name) }
func (o osFS) Mkdir(name string) error      { return o.root.Mkdir(name, 0o700) }

func (o osFS) Create(name string) (File, error) {
	return o.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (o osFS) ReadDir(name string) ([]string, error) {
	d, err := o.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func (o osFS) SyncDir(name string) error {
	d, err := o.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
