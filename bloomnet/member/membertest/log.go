package membertest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log is what a replica has logged. Its zero value is an empty one, and its methods may be
// called at the same time.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to it.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// Logger writes to it, a line for each message.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// Count is how often a text stands in it.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// String is all of it.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
