//go:build !linux

package localpg

import (
	"os/exec"
	"syscall"
)

// endWithParent does nothing: this system cannot tie a process to its parent.
// The next start ends what is left.
func endWithParent(*exec.Cmd, syscall.Signal) {}
