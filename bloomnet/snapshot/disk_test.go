package snapshot_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path"
	"sync"
	"testing/fstest"

	"namegate/bloomnet/snapshot"
)

var (
	errPower = errors.New("power is gone")
	errFull  = errors.New("disk is full")
)

// disk is a file system that forgets in a crash what was not synced.
type disk struct {
	mu      sync.Mutex
	names   map[string]*inode
	pending []entryChange // of names, since they were last synced
	durable map[string]*inode
	steps   int // changes so far
	power   int // the step at which the power goes; 0 for never
	full    int // the step that fails for want of space, after half of it was done; 0 for none
}

type inode struct {
	data, synced []byte
	folder       bool
}

// entryChange takes names away and gives one to an inode. It is done at once, or not.
type entryChange struct {
	gone, name string
	to         *inode
}

func newDisk() *disk { return &disk{names: map[string]*inode{}, durable: map[string]*inode{}} }

// step counts a change, and says whether it may be made.
func (d *disk) step() error {
	d.steps++
	if d.power > 0 && d.steps >= d.power {
		return errPower
	}
	if d.steps == d.full {
		return errFull
	}
	return nil
}

func (d *disk) change(c entryChange) {
	c.apply(d.names)
	d.pending = append(d.pending, c)
}

func (c entryChange) apply(names map[string]*inode) {
	delete(names, c.gone)
	if c.to != nil {
		names[c.name] = c.to
	}
}

func (d *disk) Open(name string) (fs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.names[name]; f != nil {
		return fstest.MapFS{name: &fstest.MapFile{Data: bytes.Clone(f.data)}}.Open(name)
	}
	return nil, fs.ErrNotExist
}

func (d *disk) Create(name string) (snapshot.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, err
	}
	if d.names[name] != nil {
		return nil, fs.ErrExist
	}
	f := &inode{}
	d.change(entryChange{name: name, to: f})
	return &open{d, f}, nil
}

func (d *disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	f := d.names[from]
	if f == nil {
		return fs.ErrNotExist
	}
	d.change(entryChange{gone: from, name: to, to: f})
	return nil
}

func (d *disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	if d.names[name] == nil {
		return fs.ErrNotExist
	}
	d.change(entryChange{gone: name})
	return nil
}

func (d *disk) Mkdir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[name] != nil {
		return fs.ErrExist
	}
	if err := d.step(); err != nil {
		return err
	}
	d.change(entryChange{name: name, to: &inode{folder: true}})
	return nil
}

func (d *disk) ReadDir(folder string) (names []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.names {
		if path.Dir(name) == folder {
			names = append(names, path.Base(name))
		}
	}
	return names, nil
}

func (d *disk) SyncDir(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	var others []entryChange
	for _, c := range d.pending {
		if path.Dir(c.gone) == folder || path.Dir(c.name) == folder {
			c.apply(d.durable)
		} else {
			others = append(others, c)
		}
	}
	d.pending = others
	return nil
}

type open struct {
	disk *disk
	file *inode
}

func (o *open) Write(b []byte) (int, error) {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	if err := o.disk.step(); err != nil {
		o.file.data = append(o.file.data, b[:len(b)/2]...)
		return len(b) / 2, err
	}
	o.file.data = append(o.file.data, b...)
	return len(b), nil
}

func (o *open) Sync() error {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	if err := o.disk.step(); err != nil {
		return err
	}
	o.file.synced = bytes.Clone(o.file.data)
	return nil
}

func (o *open) Close() error { return nil }

// crash is what is there after one. Of what was not synced, each change and each byte
// survives as kept says.
func (d *disk) crash(kept func() bool) *disk {
	after := newDisk()
	for _, c := range d.pending {
		if kept() {
			c.apply(d.durable)
		}
	}
	for name, f := range d.durable {
		data := bytes.Clone(f.synced)
		for i := len(data); i < len(f.data) && kept(); i++ {
			data = append(data, f.data[i])
		}
		after.names[name] = &inode{data: data, synced: bytes.Clone(data), folder: f.folder}
		after.durable[name] = after.names[name]
	}
	return after
}

// crashes are the ways to lose what was not synced: all of it, nothing, parts.
func crashes(seed uint64) []func() bool {
	random := rand.New(rand.NewPCG(seed, 1))
	return []func() bool{
		func() bool { return false },
		func() bool { return true },
		func() bool { return random.IntN(2) == 0 },
		func() bool { return random.IntN(20) > 0 },
	}
}

// shut is a disk that opens no files.
type shut struct {
	*disk
	err error
}

func (s *shut) Open(string) (fs.File, error) { return nil, s.err }
