package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"namegate/gateway/app"
	"namegate/storage"
)

// orderFlags are those of block and unblock.
type orderFlags struct {
	Value string `arg:"" placeholder:"VALUE" help:"The username, or value of another kind; - reads it from standard input, so that a private one is not among the processes' arguments."`
	Kind  string `enum:"username,email,phone,license" default:"username" help:"Kind of the value: username, email, phone or license."`
	Note  string `required:"" placeholder:"TEXT" help:"Why, for the audit: up to 500 printable characters. Required."`
	Actor string `default:"operator" help:"Who orders it, for the audit: up to 64 printable characters."`
	registryFlags
	logFlags
}

// order reads the value and checks what does not need its form.
func (f orderFlags) order(in io.Reader) (app.Order, error) {
	o := app.Order{Kind: f.Kind, Value: f.Value, Actor: f.Actor, Note: f.Note}
	if err := joinUsage(o.Validate(), f.databases().Validate()); err != nil {
		return o, err
	}
	if f.Value != "-" {
		return o, nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxValueLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return o, fmt.Errorf("read the value: %w", err)
	}
	o.Value = strings.TrimRight(line, "\r\n")
	return o, nil
}

// maxValueLine is more bytes than any value that can be had.
const maxValueLine = 4096

type blockCommand struct{ orderFlags }

// Run blocks, and prints on standard output what that means for who has the value.
func (c *blockCommand) Run(ctx context.Context, std streams) error {
	o, err := c.order(std.in)
	if err != nil {
		return err
	}
	held, changed, err := app.Block(ctx, c.databases(), c.logger(std.err), o)
	if err != nil {
		return err
	}
	is := "is blocked"
	if !changed {
		is = "was blocked already"
	}
	fmt.Fprintf(std.out, "%s %s: %s\n", named(held), is, barred(held))
	return nil
}

type unblockCommand struct{ orderFlags }

// Run unblocks, and prints on standard output what the value is without the block.
func (c *unblockCommand) Run(ctx context.Context, std streams) error {
	o, err := c.order(std.in)
	if err != nil {
		return err
	}
	held, err := app.Unblock(ctx, c.databases(), c.logger(std.err), o)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is not blocked any more: %s\n", named(held), standsAs(held))
	return nil
}

// barred says what a block means for who has the identifier.
func barred(h app.Holding) string {
	switch {
	case h.State == storage.Active && h.Owner != "":
		return h.Owner + " keeps it"
	case h.State == storage.Active:
		return "it stays in use, without an owner"
	case h.State == storage.Reserved:
		return "its reservation cannot be confirmed"
	case h.State == storage.Protected:
		return "its former owner " + h.Owner + " cannot take it back"
	}
	return "nobody can have it"
}

// standsAs says who has an identifier that is not blocked.
func standsAs(h app.Holding) string {
	switch {
	case h.State == storage.Active && h.Owner != "":
		return h.Owner + " has it"
	case h.State == storage.Active:
		return "it is in use, without an owner"
	case h.State == storage.Reserved:
		return "it is reserved until " + h.ExpireAt.Format(time.RFC3339)
	case h.State == storage.Protected:
		return "it is kept for its former owner " + h.Owner + " until " + h.ExpireAt.Format(time.RFC3339)
	}
	return "it is free"
}
