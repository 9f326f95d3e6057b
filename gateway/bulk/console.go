package bulk

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is how often progress is shown.
const progressEvery = time.Second

// eraseLine returns to the start of a terminal's line and clears it.
const eraseLine = "\r\x1b[K"

// Console reports an import to people.
type Console struct {
	out      io.Writer
	terminal bool
	clock    func() time.Time
	started  time.Time
	shown    time.Time // when progress was shown last
}

// NewConsole reports to out. On a terminal progress stays on one line; elsewhere
// each report is a line of its own. Rates count from now.
func NewConsole(out io.Writer, terminal bool, clock func() time.Time) *Console {
	now := clock()
	return &Console{out: out, terminal: terminal, clock: clock, started: now, shown: now}
}

// Refused shows the line and why it did not go in.
func (c *Console) Refused(r Refusal) {
	c.clear()
	fmt.Fprintf(c.out, "line %d: %.64q: %s\n", r.Number, r.Text, r.Reason)
}

// Progress shows counts and rate, at most once a second.
func (c *Console) Progress(s Summary) {
	now := c.clock()
	if now.Sub(c.shown) < progressEvery {
		return
	}
	c.shown = now
	c.clear()
	rate := float64(s.Lines()) / now.Sub(c.started).Seconds()
	fmt.Fprintf(c.out, "%d lines, %.0f/s, %d refused", s.Lines(), rate, s.Refused)
	if !c.terminal {
		fmt.Fprintln(c.out)
	}
}

// Close leaves an empty line on a terminal.
func (c *Console) Close() { c.clear() }

func (c *Console) clear() {
	if c.terminal {
		fmt.Fprint(c.out, eraseLine)
	}
}
