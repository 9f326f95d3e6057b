package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// echoArgument makes the program the server that a check over HTTP is compared with.
const echoArgument = "echo"

func main() {
	if len(os.Args) == 2 && os.Args[1] == echoArgument {
		fail(1, serveEcho())
	}
	opts, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	fail(2, err)
	// The stores in this process are to collect as rarely as those of a gateway,
	// which keeps a floor under its heap.
	floor := make([]byte, 128<<20)
	defer runtime.KeepAlive(floor)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fail(1, run(ctx, opts))
}

// fail exits when there is an error.
func fail(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}

// options are what the flags say.
type options struct {
	duration time.Duration // of one sample, in whole seconds
	names    uint64        // imported for the last part
	only     *regexp.Regexp
}

func parseFlags(args []string, out io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.DurationVar(&o.duration, "duration", 10*time.Second, "length of one sample, in whole seconds")
	flags.Uint64Var(&o.names, "names", 10_000_000, "names imported for the part with large tables")
	only := flags.String("only", "", "measure what this regular expression matches, by its name in the table, and what it is compared with")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.duration < time.Second || o.duration%time.Second != 0 {
		return o, errors.New("-duration must be in whole seconds, as pgbench knows no others")
	}
	if o.names == 0 || o.names >= maxIndex {
		return o, fmt.Errorf("-names must be from 1 to %d", maxIndex-1)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	return o, nil
}

// run measures what is asked for and prints what was measured, also when
// something could not be.
func run(ctx context.Context, o options) (err error) {
	l := &lab{}
	comparisons := choose(l.plan(o.names), o.only)
	if len(comparisons) == 0 {
		return fmt.Errorf("no measurement is called like %s", o.only)
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.open(ctx); err != nil {
		return err
	}
	about, err := l.describe(ctx)
	if err != nil {
		return err
	}
	r := rounds{settle: l.checkpoint, position: l.walPosition, length: o.duration, progress: os.Stderr}
	rows, err := r.measure(ctx, comparisons)
	return errors.Join(err, printTable(os.Stdout, fmt.Sprintf("Medians of %d samples of %v, taken in turn. %s", samples, o.duration, about), rows))
}
