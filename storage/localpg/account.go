package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// account is who PostgreSQL runs as.
type account struct {
	uid, gid int
	other    bool // it is not the one this process runs as
}

// defaultAccount is who a new cluster belongs to.
func defaultAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return account{}, fmt.Errorf("find a user to run PostgreSQL as, which refuses root: %w", err)
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	return account{uid: uid, gid: gid, other: true}, errors.Join(uidErr, gidErr)
}

// ownerOf is who a file belongs to, a link taken as itself.
func ownerOf(path string) (account, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return account{}, err
	}
	st := fi.Sys().(*syscall.Stat_t) // what os promises on every unix
	return account{uid: int(st.Uid), gid: int(st.Gid), other: int(st.Uid) != os.Geteuid()}, nil
}

// give makes a file the account's own.
func (a account) give(path string) error {
	if !a.other {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// command is a command that runs as the account, in a folder that it can enter,
// untouched by the settings of whoever called us for programs of PostgreSQL.
func (a account) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// A group of its own keeps a terminal's Ctrl-C away from it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// run runs a short command that dies with this process or with ctx, and gives
// what it wrote; an error quotes it.
func (a account) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := a.command(ctx, dir, name, args...)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	endWithParent(cmd, syscall.SIGTERM)
	runtime.LockOSThread() // what endWithParent asks for
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		return "", fmt.Errorf("run %s: %w", name, context.Cause(ctx))
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// canEnter tries whether the account can enter a folder, which modes alone do not say.
func (a account) canEnter(ctx context.Context, dir string) (bool, error) {
	if !a.other {
		return true, nil
	}
	_, err := a.run(ctx, dir, "/bin/sh", "-c", ":")
	if errors.Is(err, syscall.EACCES) { // EPERM: we may not become that user at all
		return false, nil
	}
	return err == nil, err
}
