package localpg

import (
	"os/exec"
	"syscall"
)

// endWithParent has the kernel send sig to the command when the thread that
// starts it ends. The caller must lock its goroutine to the thread until then.
func endWithParent(cmd *exec.Cmd, sig syscall.Signal) {
	cmd.SysProcAttr.Pdeathsig = sig
}
