package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// row is what the table says of a work: medians of its samples.
type row struct {
	name            string
	rate            float64 // calls a second
	lowest, highest float64 // rate of any sample
	p50, p99        time.Duration
	asked           float64 // share of the answers that a database decided
	wal             float64 // bytes for each call
	ratio           float64 // of the rate to that of the unit
	unit            string
}

func newRow(name string, taken []sample) row {
	r := row{
		name:   name,
		rate:   medianOf(taken, func(s sample) float64 { return s.rate }),
		p50:    medianOf(taken, func(s sample) time.Duration { return s.p50 }),
		p99:    medianOf(taken, func(s sample) time.Duration { return s.p99 }),
		wal:    medianOf(taken, func(s sample) float64 { return s.wal }),
		asked:  medianOf(taken, func(s sample) float64 { return s.asked }),
		lowest: taken[0].rate,
	}
	for _, s := range taken {
		r.lowest, r.highest = min(r.lowest, s.rate), max(r.highest, s.rate)
	}
	return r
}

// printTable prints rows as Markdown below what they are about.
func printTable(w io.Writer, about string, rows []row) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", about)
	b.WriteString("| Work | A second | Lowest – highest | p50 | p99 | By a database | WAL bytes each | Ratio |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s – %s | %s | %s | %s | %s | %.2f x %s |\n", r.name, whole(r.rate), whole(r.lowest), whole(r.highest),
			milliseconds(r.p50), milliseconds(r.p99), percent(r.asked), amount(r.wal), r.ratio, r.unit)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func whole(f float64) string { return grouped(uint64(f + 0.5)) }

// amount shows small numbers with what stands behind the point.
func amount(f float64) string {
	if f < 10 {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return whole(f)
}

// percent is empty for a share of nothing.
func percent(share float64) string {
	if share == 0 {
		return ""
	}
	return strconv.FormatFloat(share*100, 'f', 2, 64) + " %"
}

// milliseconds is empty for a time that is not known.
func milliseconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.FormatFloat(d.Seconds()*1000, 'f', 2, 64) + " ms"
}

// grouped writes a number with commas between thousands.
func grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
