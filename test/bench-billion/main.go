package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// options are the sizes of a measurement.
type options struct {
	few, many uint64 // names in the filters
	absent    int    // names looked up in a round
	rounds    int
}

func main() {
	o := options{few: 50_000_000, many: 1_000_000_000, absent: 4 << 20, rounds: 7}
	flag.Uint64Var(&o.many, "names", o.many, "names in the largest filters, at least as many as in the others")
	flag.Parse()
	if flag.NArg() > 0 || o.many < o.few || o.many >= maxNames {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench-billion:", err)
		os.Exit(1)
	}
}

// run measures, prints, and fails when a limit is not kept.
func run(o options, out io.Writer) error {
	r, err := measure(o)
	if err != nil {
		return err
	}
	return r.print(out)
}

// measure holds no more at a time than a comparison needs, so that the peak of memory is
// that of the largest filters.
func measure(o options) (report, error) {
	absent := newPool(o.many, o.absent)
	one := []*subject{single(o.few), peer(o.few)}
	if err := compare(one, absent, o.rounds); err != nil {
		return report{}, err
	}
	release(one)
	shared := []*subject{sharded(o.few), sharded(o.many)}
	if err := compare(shared, absent, o.rounds); err != nil {
		return report{}, err
	}
	peak, err := peakMemory()
	return report{single: one[0], peer: one[1], few: shared[0], many: shared[1], peak: peak}, err
}
