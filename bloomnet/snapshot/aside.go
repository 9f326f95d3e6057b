package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	asideName = "aside"
	// maxAside is how many files are kept aside: some of the last ones tell as much as all.
	maxAside = 8
)

// setAside moves a file to where it is never loaded from, and drops what was put there
// longest ago.
func (f *Folder) setAside(name string) error {
	f.aside.Lock()
	defer f.aside.Unlock()
	if err := f.fsys.Mkdir(asideName); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder for damaged files: %w", err)
	}
	there, err := f.listAside()
	if err != nil {
		return err
	}
	numbers := slices.Sorted(maps.Keys(there))
	next := uint64(1)
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	if err := f.fsys.Rename(name, fmt.Sprintf("%s/%d-%s", asideName, next, name)); err != nil {
		return fmt.Errorf("set file aside: %w", err)
	}
	for _, n := range numbers[:max(0, len(numbers)+1-maxAside)] {
		if err := f.fsys.Remove(asideName + "/" + there[n]); err != nil {
			return fmt.Errorf("remove file set aside: %w", err)
		}
	}
	return nil
}

// listAside gives the names of what was set aside, by number.
func (f *Folder) listAside() (map[uint64]string, error) {
	names, err := f.fsys.ReadDir(asideName)
	if err != nil {
		return nil, fmt.Errorf("list files set aside: %w", err)
	}
	numbered := map[uint64]string{}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "-")
		if n, err := strconv.ParseUint(number, 10, 63); err == nil {
			numbered[n] = name
		}
	}
	return numbered, nil
}
