package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
)

// Part is one part of a state.
type Part struct {
	Number uint32
	// Tag stands for the bytes, and must differ from all former tags of the number when
	// these do. A part whose tag is that of the last save is not written again.
	Tag []byte
	// Encode gives the bytes, at most MaxPart. It is called when they are written, for one
	// part at a time; what it gives is not kept.
	Encode func() ([]byte, error)
}

// Save replaces the snapshot by one of a header and parts, which belong together: both, or
// what was there before, whatever happens meanwhile. When it returns without error a crash
// does not undo it.
func (f *Folder) Save(ctx context.Context, header []byte, parts []Part) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts, err := inOrder(header, parts)
	if err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	last, there, err := f.sweep()
	if err == nil {
		err = f.replace(ctx, last, there, header, parts)
	}
	if err != nil {
		f.sweep() // frees the disk if it can; else the next one does
		return fmt.Errorf("save snapshot: %w", err)
	}
	return nil
}

// inOrder gives the parts by ascending number.
func inOrder(header []byte, parts []Part) ([]Part, error) {
	if len(header) > MaxHeader || len(parts) > MaxParts {
		return nil, fmt.Errorf("header of %d bytes or %d parts are too many", len(header), len(parts))
	}
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return int(int64(a.Number) - int64(b.Number)) })
	for i, p := range parts {
		if len(p.Tag) > MaxTag {
			return nil, fmt.Errorf("tag of part %d has %d bytes", p.Number, len(p.Tag))
		}
		if i > 0 && p.Number == parts[i-1].Number {
			return nil, fmt.Errorf("part %d comes twice", p.Number)
		}
	}
	return parts, nil
}

// replace writes what changed and then the manifest. The folder is synced before the
// rename, so that the new manifest is nowhere without its parts, and by sweep after it,
// before any former part goes.
func (f *Folder) replace(ctx context.Context, last manifest, there map[string]bool, header []byte, parts []Part) error {
	next := manifest{save: last.save + 1, header: header}
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e, ok := last.find(p); ok && there[e.file()] {
			f.Counters.Kept.Add(1)
			next.entries = append(next.entries, e)
			continue
		}
		e, err := f.writePart(next.save, p)
		if err != nil {
			return fmt.Errorf("write part %d: %w", p.Number, err)
		}
		next.entries = append(next.entries, e)
	}
	if err := f.write(unfinished, next.encode()); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := f.fsys.SyncDir("."); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	if err := f.fsys.Rename(unfinished, manifestName); err != nil {
		return fmt.Errorf("replace manifest: %w", err)
	}
	_, _, err := f.sweep()
	return err
}

// find gives the entry of a part that has not changed.
func (m manifest) find(p Part) (entry, bool) {
	i, ok := slices.BinarySearchFunc(m.entries, p.Number, func(e entry, number uint32) int {
		return int(int64(e.number) - int64(number))
	})
	if !ok || !bytes.Equal(m.entries[i].tag, p.Tag) {
		return entry{}, false
	}
	return m.entries[i], true
}

func (f *Folder) writePart(save uint64, p Part) (entry, error) {
	b, err := p.Encode()
	if err != nil {
		return entry{}, fmt.Errorf("encode: %w", err)
	}
	if len(b) > MaxPart {
		return entry{}, errors.New("longer than 64 MiB")
	}
	e := entry{number: p.Number, save: save, length: len(b), sum: sha256.Sum256(b), tag: p.Tag}
	if err := f.write(e.file(), b); err != nil {
		return entry{}, err
	}
	f.Counters.Written.Add(1)
	return e, nil
}
