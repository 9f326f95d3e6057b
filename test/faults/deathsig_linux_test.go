package faults_test

import (
	"os/exec"
	"syscall"
)

// dieWithTests has a process end when these tests are killed, as by their time limit.
func dieWithTests(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
