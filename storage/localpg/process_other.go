//go:build !linux

package localpg

import (
	"os/exec"
	"strconv"
	"strings"
)

// processes asks ps, as these systems have no /proc.
func processes() ([]process, error) {
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, err
	}
	var found []process
	for line := range strings.Lines(string(out)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		found = append(found, process{pid: pid, command: strings.TrimSpace(command)})
	}
	return found, nil
}

// isStopped is true after SIGSTOP took effect, and for a process that is gone.
func (p process) isStopped() bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(p.pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "T")
}
