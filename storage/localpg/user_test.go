package localpg_test

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAsPlainUser runs the tests for which it matters as a user who is not root;
// where we are not root all are run so anyway.
func TestAsPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	uid, gid := nobody(t)
	dir := stateFolder(t)
	require.NoError(t, os.Chown(dir, uid, gid))
	binary := filepath.Join(dir, "localpg.test") // where it is now, only root may read it
	text, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, text, 0o755))

	cmd := exec.Command(binary, "-test.run=^Test(StartKeepsData|SecondStartIsRefused|OwnerKilled|"+
		"ServerKilledWithBusyBackend|InterruptedFirstStart|FolderUnfitForSocket|ClosedFolder|FolderClosedLater|"+
		"ClusterRunsAsItsOwner|Pause|Attach)$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func nobody(t *testing.T) (uid, gid int) {
	t.Helper()
	u, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err = strconv.Atoi(u.Uid)
	require.NoError(t, err)
	gid, err = strconv.Atoi(u.Gid)
	require.NoError(t, err)
	return uid, gid
}
