package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sync/errgroup"
)

// ErrNone says that there is no snapshot, or none that is fit to be loaded.
var ErrNone = errors.New("no snapshot")

// Reader is who loads a snapshot. What it is given it may not keep.
type Reader struct {
	// Judge refuses a snapshot by its header.
	Judge func(header []byte) error
	// Part takes a part, or refuses it. It is called from as many goroutines as there
	// are Workers.
	Part func(number uint32, tag, data []byte) error
	// Workers is how many parts are read at once; 1 when less. Each takes the memory of the
	// longest part.
	Workers int
}

// Load reads the snapshot. It fails with ErrNone when there is none, or it is damaged or
// refused, and then it is gone. Parts that are damaged or refused are left out and set
// aside; the next save writes them anew. After another error, or the end of ctx, some
// parts may have been taken.
func (f *Folder) Load(ctx context.Context, r Reader) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, _, err := f.sweep()
	if err != nil {
		return fmt.Errorf("load snapshot: %w", err)
	}
	if m.save == 0 {
		return ErrNone
	}
	if refused := r.Judge(m.header); refused != nil {
		return f.drop(refused)
	}
	if err := f.loadParts(ctx, m, r); err != nil {
		return fmt.Errorf("load snapshot: %w", err)
	}
	return nil
}

// drop sets the manifest aside, and with it goes all that it refers to.
func (f *Folder) drop(refused error) error {
	f.Counters.Foreign.Add(1)
	err := f.setAside(manifestName)
	if err == nil {
		_, _, err = f.sweep()
	}
	return errors.Join(ErrNone, refused, err)
}

func (f *Folder) loadParts(ctx context.Context, m manifest, r Reader) error {
	workers, ctx := errgroup.WithContext(ctx)
	work := make(chan entry)
	workers.Go(func() error {
		defer close(work)
		for _, e := range m.entries {
			select {
			case work <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range max(1, r.Workers) {
		workers.Go(func() (err error) {
			var buffer []byte
			for e := range work {
				if buffer, err = f.loadPart(ctx, e, r, buffer); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return workers.Wait()
}

// loadPart reads a part into buffer, which it gives back.
func (f *Folder) loadPart(ctx context.Context, e entry, r Reader, buffer []byte) ([]byte, error) {
	data, err := f.read(e.file(), e.length, buffer)
	if err == nil && sha256.Sum256(data) != e.sum {
		err = errDamaged
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Counters.Damaged.Add(1)
		return buffer, nil
	case err != nil: // a part that cannot be read is no better than one that is damaged
		f.Counters.Damaged.Add(1)
		return buffer, f.setAside(e.file())
	}
	if refused := r.Part(e.number, e.tag, data); refused != nil && ctx.Err() == nil {
		f.Counters.Foreign.Add(1)
		return data, f.setAside(e.file())
	}
	return data, ctx.Err()
}
