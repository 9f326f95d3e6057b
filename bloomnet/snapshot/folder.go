package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	manifestName = "manifest"
	unfinished   = "manifest.new"
	partSuffix   = ".part"
)

// Folder is where a replica keeps its snapshot.
type Folder struct {
	Counters Counters

	fsys  FS
	mu    sync.Mutex // held for a whole Save or Load
	aside sync.Mutex // held while a file is set aside
}

// Counters count since the Folder was made.
type Counters struct {
	Written, Kept atomic.Uint64 // parts that saves wrote, and that they found unchanged
	Damaged       atomic.Uint64 // files that are not what was written, or not there
	Foreign       atomic.Uint64 // files that the caller refused
}

// New takes a folder, which must be there.
func New(fsys FS) *Folder { return &Folder{fsys: fsys} }

// current reads the manifest. It fails with fs.ErrNotExist when there is none; one that is
// damaged is set aside first.
func (f *Folder) current() (manifest, error) {
	b, err := f.read(manifestName, longestManifest, nil)
	var m manifest
	if err == nil {
		m, err = decode(b)
	}
	if errors.Is(err, errDamaged) {
		f.Counters.Damaged.Add(1)
		if err := f.setAside(manifestName); err != nil {
			return manifest{}, err
		}
		return manifest{}, fs.ErrNotExist
	}
	return m, err
}

// read gives a file of at most so many bytes, in buffer if it fits. It fails with
// errDamaged when the file is longer, or cannot be read although it can be opened.
func (f *Folder) read(name string, most int, buffer []byte) ([]byte, error) {
	file, err := f.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > int64(most) {
		return nil, errDamaged
	}
	if int64(cap(buffer)) < info.Size() {
		buffer = make([]byte, info.Size())
	}
	buffer = buffer[:info.Size()]
	if _, err := io.ReadFull(file, buffer); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return buffer, nil
}

// write makes a file, which is on the disk then, but for its name.
func (f *Folder) write(name string, b []byte) error {
	file, err := f.fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(b)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// sweep removes what saves left that nothing refers to, and gives what is there: the
// manifest, empty if there is none, and the names of all files. It syncs the folder first:
// else a crash could bring a former manifest back, whose parts it has removed.
func (f *Folder) sweep() (manifest, map[string]bool, error) {
	m, err := f.current()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil, fmt.Errorf("read manifest: %w", err)
	}
	if err := f.fsys.SyncDir("."); err != nil {
		return manifest{}, nil, fmt.Errorf("sync folder: %w", err)
	}
	names, err := f.fsys.ReadDir(".")
	if err != nil {
		return manifest{}, nil, fmt.Errorf("list folder: %w", err)
	}
	used, there := map[string]bool{}, map[string]bool{}
	for _, e := range m.entries {
		used[e.file()] = true
	}
	for _, name := range names {
		if name != unfinished && (used[name] || !strings.HasSuffix(name, partSuffix)) {
			there[name] = true
		} else if err := f.fsys.Remove(name); err != nil {
			return manifest{}, nil, fmt.Errorf("remove what is left of a save: %w", err)
		}
	}
	return m, there, nil
}
