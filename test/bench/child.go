package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// readyMessage is what a gateway logs when it serves, with its address.
const readyMessage = "ready"

// stopLimit is how long a process may take to end when asked to.
const stopLimit = 40 * time.Second

// startChild starts a server that logs JSON to its standard error, waits until
// it is ready and gives its address. It is stopped when the lab closes.
func (l *lab) startChild(ctx context.Context, program string, args ...string) (address string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return "", err
	}
	lines := bufio.NewScanner(log)
	address, err = awaitReady(lines)
	done := make(chan struct{})
	go func() {
		defer close(done)
		passOn(lines)
		_ = cmd.Wait() // whom it served has noticed
	}()
	l.undo(func() error {
		cancel()
		<-done
		return nil
	})
	if err != nil {
		err = fmt.Errorf("start %s: %w", program, err)
	}
	return address, err
}

// awaitReady reads the log up to where the program says that it serves.
func awaitReady(lines *bufio.Scanner) (address string, err error) {
	var text strings.Builder
	for lines.Scan() {
		var entry struct{ Msg, HTTP string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == readyMessage {
			return entry.HTTP, nil
		}
		text.WriteString("\n" + lines.Text())
	}
	return "", errors.New("it ended: " + text.String())
}

// passOn shows what is more than information.
func passOn(lines *bufio.Scanner) {
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(`"level":"INFO"`)) {
			fmt.Fprintln(os.Stderr, lines.Text())
		}
	}
}

// environment is that of this process without what would set up the programs
// that it starts.
func environment() []string {
	var kept []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "NAMEGATE_") {
			kept = append(kept, v)
		}
	}
	return kept
}
