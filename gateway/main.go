package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"

	"namegate/storage"
)

// The codes that the program exits with.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitUnseen  = 2 // a verification could not look everywhere
	exitRefused = 3 // an import went through, but refused lines
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	floor := heapFloor()
	code := run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	runtime.KeepAlive(floor)
	os.Exit(code)
}

// run runs one command and gives its exit code.
func run(args []string, std streams) int {
	parser, err := newParser(&commands{}, std)
	if err != nil {
		panic(err) // the commands themselves are wrong, as a test would show
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(std.err, "gateway: %v\nRun `gateway --help`, or `gateway COMMAND --help`.\n", err)
		return exitUsage
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	context.AfterFunc(ctx, cancel) // a second signal ends the process at once
	command.BindTo(ctx, (*context.Context)(nil))
	return exitCode(command.Run(std), std.err)
}

// newParser reads flags, and NAMEGATE_… variables where a flag is not given.
func newParser(c *commands, std streams) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("gateway"),
		kong.Description("Answers whether a username is free, and gives each name to exactly one owner.\n\n"+
			"Each flag can be set by the variable shown beside it as well; the flag wins."),
		kong.DefaultEnvars("NAMEGATE"),
		kong.Writers(std.out, std.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 110}),
	)
}

// exitCode reports an error and gives the code for it.
func exitCode(err error, out io.Writer) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(out, "gateway: %v\n", err)
	if away, ok := errors.AsType[*storage.UnavailableError](err); ok && away.Cause != nil {
		fmt.Fprintf(out, "gateway: the cause: %v\n", away.Cause)
	}
	switch _, usage := errors.AsType[usageError](err); {
	case usage:
		return exitUsage
	case errors.Is(err, errUnseen) && !errors.Is(err, errLayers):
		return exitUnseen
	case errors.Is(err, errRefused):
		return exitRefused
	default:
		return exitError
	}
}

// usageError says that the flags do not go together.
type usageError struct{ error }

// joinUsage is errors.Join of what is wrong with the flags, as a usageError.
func joinUsage(wrong ...error) error {
	if err := errors.Join(wrong...); err != nil {
		return usageError{err}
	}
	return nil
}
