package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// report is what was measured: one filter beside the peer, few names beside many in
// filters by shard, and the peak of memory in bytes.
type report struct {
	single, peer, few, many *subject
	peak                    uint64
}

// limit is a promise: the figure is at most the bound, or at least.
type limit struct {
	what          string
	figure, bound float64
	atLeast       bool
}

func (l limit) kept() bool {
	if l.atLeast {
		return l.figure >= l.bound
	}
	return l.figure <= l.bound
}

func (l limit) verdict() string {
	side, word := "at most", "kept"
	if l.atLeast {
		side = "at least"
	}
	if !l.kept() {
		word = "missed"
	}
	return fmt.Sprintf("%s %g: %s", side, l.bound, word)
}

func (r report) limits() []limit {
	return []limit{
		{what: "times as fast as bits-and-blooms", figure: r.peer.lookUp() / r.single.lookUp(), bound: 4, atLeast: true},
		{what: "bits a name, one filter", figure: r.single.bitsPerName(), bound: 16.01}, // whole blocks
		{what: "% false positives, one filter", figure: 100 * r.single.falsePositives(), bound: 0.1},
		{what: "% false positives, most names", figure: 100 * r.many.falsePositives(), bound: 0.1},
		{what: "look-up of most names / of fewer, by shard", figure: r.many.lookUp() / r.few.lookUp(), bound: 2},
		{what: "GB of memory, all of the process, at its peak", figure: float64(r.peak) / 1e9, bound: 2.3},
	}
}

var errLimit = errors.New("limits are missed")

// print prints Markdown tables, and fails when a limit is missed.
func (r report) print(out io.Writer) error {
	var b strings.Builder
	b.WriteString("| Filter | Names | Bits a name | False positives | Look-up | Adds |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, s := range []*subject{r.peer, r.single, r.few, r.many} {
		fmt.Fprintf(&b, "| %s | %d M | %.2f | %.4f %% | %.1f ns | %.1f M/s |\n", s.label, s.names/1e6, s.bitsPerName(),
			100*s.falsePositives(), s.lookUp(), float64(s.names)/s.filling.Seconds()/1e6)
	}
	b.WriteString("\n| Figure | Measured | Limit |\n| --- | ---: | --- |\n")
	missed := 0
	for _, l := range r.limits() {
		fmt.Fprintf(&b, "| %s | %.3f | %s |\n", l.what, l.figure, l.verdict())
		if !l.kept() {
			missed++
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if missed > 0 {
		return fmt.Errorf("%w: %d", errLimit, missed)
	}
	return nil
}
