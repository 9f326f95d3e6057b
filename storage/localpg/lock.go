package localpg

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// openLock opens the lock file of a home, which it creates when missing.
func openLock(home string, a account) (*os.File, error) {
	// The folder may belong to somebody with fewer rights than us: follow no link of theirs.
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if !a.other {
		return f, nil
	}
	if err := f.Chown(a.uid, a.gid); err != nil {
		return nil, errors.Join(fmt.Errorf("give lock away: %w", err), f.Close())
	}
	return f, nil
}

// lock takes the home for this process, until unlock or the process ends. It lies in the home, not in the state folder: two state folders whose
// links lead to one home must exclude each other.
func (h home) lock(dir string) (*os.File, error) {
	f, err := openLock(h.path, h.account)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = &InUseError{Dir: dir, PID: holderOf(f)}
	}
	if err == nil {
		err = writePID(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unlock gives the home free. Closing alone would not: a child that was forked in
// this moment, for whatever purpose, has the file open until it executes its program.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if _, err := f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

func holderOf(f *os.File) int {
	text, err := io.ReadAll(f)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
