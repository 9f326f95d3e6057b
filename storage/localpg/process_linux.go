package localpg

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processes reads /proc, as small systems have no ps. What goes away meanwhile
// is left out, and so are zombies, which have no command.
func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		command, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil || len(command) == 0 {
			continue
		}
		command = bytes.ReplaceAll(bytes.TrimRight(command, "\x00 "), []byte{0}, []byte(" "))
		found = append(found, process{pid: pid, command: string(command)})
	}
	return found, nil
}

// isStopped is true after SIGSTOP took effect, and for a process that is gone.
func (p process) isStopped() bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if err != nil {
		return true
	}
	// The state follows the program's name, which stands in brackets and may hold
	// any others (proc(5)).
	return strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " T")
}
