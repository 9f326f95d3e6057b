package bulk_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/bulk"
)

// script reports an import of 3.5 seconds to a Console.
func script(terminal bool) string {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	c := bulk.NewConsole(&out, terminal, func() time.Time { return now })
	c.Progress(bulk.Summary{Added: 10})
	now = now.Add(2 * time.Second)
	c.Progress(bulk.Summary{Added: 80, Present: 15, Refused: 5})
	now = now.Add(500 * time.Millisecond)
	c.Progress(bulk.Summary{Added: 90})
	c.Refused(bulk.Refusal{Number: 7, Text: "a\x1b[2J" + strings.Repeat("b", 100), Reason: "name is bad"})
	now = now.Add(time.Second)
	c.Progress(bulk.Summary{Added: 700})
	c.Close()
	return out.String()
}

func TestConsoleWritesPlainLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, "100 lines, 50/s, 5 refused\n"+
		`line 7: "a\x1b[2J`+strings.Repeat("b", 59)+`": name is bad`+"\n"+
		"700 lines, 200/s, 0 refused\n", script(false))
}

func TestConsoleKeepsToOneLineOfATerminal(t *testing.T) {
	t.Parallel()
	require.Equal(t, "\r\x1b[K100 lines, 50/s, 5 refused"+
		"\r\x1b[K"+`line 7: "a\x1b[2J`+strings.Repeat("b", 59)+`": name is bad`+"\n"+
		"\r\x1b[K700 lines, 200/s, 0 refused"+
		"\r\x1b[K", script(true))
}
