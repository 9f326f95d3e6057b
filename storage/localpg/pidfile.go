package localpg

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// pidFile is what a postmaster says of itself in postmaster.pid. The lines are
// those of PostgreSQL's utils/pidfile.h.
type pidFile struct {
	pid       int
	socketDir string
	status    string
}

const (
	pidLine       = 0
	socketDirLine = 4
	statusLine    = 7
)

func (f pidFile) ready() bool { return f.status == "ready" }

func (h home) pidFilePath() string { return filepath.Join(h.data(), "postmaster.pid") }

// readPIDFile reads postmaster.pid. The server writes it line by line: what is
// not there yet, or no number, is zero.
func (h home) readPIDFile() (pidFile, error) {
	text, err := os.ReadFile(h.pidFilePath())
	if err != nil {
		return pidFile{}, fmt.Errorf("read lock file of PostgreSQL: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	line := func(i int) string {
		if i >= len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[i])
	}
	pid, _ := strconv.Atoi(line(pidLine))
	return pidFile{pid: pid, socketDir: line(socketDirLine), status: line(statusLine)}, nil
}
