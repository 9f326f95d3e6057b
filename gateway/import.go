package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"namegate/gateway/app"
	"namegate/gateway/bulk"
)

type importCommand struct {
	File string `arg:"" placeholder:"FILE" help:"File with one name a line, as NAME or NAME,OWNER; - for standard input. It may be compressed by gzip."`
	registryFlags
	logFlags
}

// errRefused says that an import went through and refused lines.
var errRefused = errors.New("lines were refused")

// Run imports, with progress and refused lines on standard error and a summary
// on standard output.
func (c *importCommand) Run(ctx context.Context, std streams) error {
	d := c.databases()
	if err := joinUsage(d.Validate()); err != nil {
		return err
	}
	in, err := c.open(std.in)
	if err != nil {
		return err
	}
	defer in.Close()
	console := bulk.NewConsole(std.err, isTerminal(std.err), time.Now)
	sum, err := app.Import(ctx, d, c.logger(std.err), in, console)
	console.Close()
	if err != nil && sum.Lines() == 0 {
		return err
	}
	fmt.Fprintf(std.out, "%d added, %d already there, %d refused\n", sum.Added, sum.Present, sum.Refused)
	if err != nil {
		return fmt.Errorf("import is not complete, and can be repeated: %w", err)
	}
	if sum.Refused > 0 {
		return fmt.Errorf("%d %w", sum.Refused, errRefused)
	}
	return nil
}

// open opens the file that the command names.
func (c *importCommand) open(standard io.Reader) (io.ReadCloser, error) {
	if c.File == "-" {
		return io.NopCloser(standard), nil
	}
	return os.Open(c.File)
}

// isTerminal reports whether somebody watches w.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
