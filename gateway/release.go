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

type releaseCommand struct {
	Owner string `required:"" placeholder:"ACCOUNT" help:"Id of the account that is deleted, such as user:42: all that it has is given up. Required."`
	Yes   bool   `help:"Do not ask."`
	registryFlags
	termsFlags
	logFlags
}

// errNotAgreed says that nobody has confirmed a release.
var errNotAgreed = errors.New("nothing is given up, as that was not confirmed: answer y, or give --yes")

// Run releases, and prints on standard output what was given up.
func (c *releaseCommand) Run(ctx context.Context, std streams) error {
	d := c.databases()
	if err := joinUsage(c.checkOwner(), d.Validate(), c.terms().Validate()); err != nil {
		return err
	}
	asked, agreed := false, false
	released, err := app.Release(ctx, d, c.terms(), c.logger(std.err), c.Owner, func(has []app.Holding) bool {
		asked, agreed = true, c.Yes || ask(std, c.Owner, has)
		return agreed
	})
	switch {
	case err != nil:
		return err
	case !asked:
		fmt.Fprintf(std.out, "%s has nothing\n", c.Owner)
		return nil
	case !agreed:
		return errNotAgreed
	}
	for _, h := range released {
		fmt.Fprintln(std.out, becameOf(h))
	}
	return nil
}

func (c *releaseCommand) checkOwner() error {
	if err := storage.CheckOwner(c.Owner); err != nil {
		return fmt.Errorf("--owner %w", err)
	}
	return nil
}

// ask shows what an account has, and reads whether to go on.
func ask(std streams, owner string, has []app.Holding) bool {
	for _, h := range has {
		fmt.Fprintln(std.err, named(h))
	}
	fmt.Fprintf(std.err, "Give up all that %s has? [y/N] ", owner)
	answer, err := bufio.NewReader(std.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// named is an identifier for people. Of a private kind nothing but a hash is known.
func named(h app.Holding) string {
	name := h.Identifier.Display()
	if h.Identifier.Kind().Private() {
		name = h.Identifier.Key()
	}
	return fmt.Sprintf("%v %s", h.Identifier.Kind(), name)
}

// becameOf says what became of an identifier.
func becameOf(h app.Holding) string {
	if h.State != storage.Protected {
		return named(h) + " is free"
	}
	return named(h) + " is kept for its former owner until " + h.ExpireAt.Format(time.RFC3339)
}
