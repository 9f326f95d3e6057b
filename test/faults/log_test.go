package faults_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for what must come about.
const patience = 60 * time.Second

// logbook keeps the log of a process, which is JSON, a line an entry.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // has a token when there may be something new
}

func newLogbook() *logbook { return &logbook{more: make(chan struct{}, 1)} }

// Write takes a part of the log.
func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	return l.text.Write(b)
}

// String is all of it.
func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// find gives the first entry with a message.
func (l *logbook) find(message string) map[string]any {
	for line := range strings.Lines(l.String()) {
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == message {
			return entry
		}
	}
	return nil
}

// await waits for an entry with a message. One goroutine waits at a time.
func (l *logbook) await(t testing.TB, message string) map[string]any {
	t.Helper()
	limit := time.After(patience)
	for {
		if entry := l.find(message); entry != nil {
			return entry
		}
		select {
		case <-l.more:
		case <-limit:
			require.FailNow(t, "no entry of the log says "+message, l.String())
		}
	}
}
