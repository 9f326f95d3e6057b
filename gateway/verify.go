package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"namegate/gateway/app"
	"namegate/storage"
)

type verifyCommand struct {
	registryFlags
	termsFlags
	logFlags
	layersToVerify
}

var (
	// errBroken says that a verification found what must not be.
	errBroken = errors.New("the registry is broken")
	// errUnseen says that a verification could not look everywhere.
	errUnseen = errors.New("not everything could be looked at")
)

// Run verifies, with progress on standard error and the findings on standard output.
func (c *verifyCommand) Run(ctx context.Context, std streams) error {
	if err := c.layersToVerify.validate(); err != nil {
		return joinUsage(err)
	}
	if len(c.Replica) > 0 {
		return c.layersToVerify.run(ctx, std)
	}
	d := c.databases()
	if err := joinUsage(d.Validate(), c.terms().Validate()); err != nil {
		return err
	}
	p := progress{out: std.err, every: progressEvery, clock: time.Now}
	v, err := app.Verify(ctx, d, c.terms(), c.logger(std.err), p.verified)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnseen, err)
	}
	return report(std.out, v)
}

// report prints what was found, a line for each fault and each example.
func report(w io.Writer, v app.Verification) error {
	fmt.Fprintf(w, "%d holdings and %d entries of accounts were looked at\n", v.Holdings, v.Slots)
	for _, fault := range storage.Faults() {
		found := v.Faults[fault]
		if found == nil {
			found = &storage.Findings{}
		}
		fmt.Fprintf(w, "%10d %s\n", found.Count, fault)
		for _, example := range found.Examples {
			fmt.Fprintf(w, "%10s   %s\n", "", example)
		}
	}
	for _, what := range v.Unseen {
		fmt.Fprintf(w, "not looked at: %s\n", what)
	}
	switch {
	case len(v.Faults) > 0:
		return errBroken
	case len(v.Unseen) > 0:
		return errUnseen
	}
	return nil
}

// progressEvery is how often the progress of a verification is shown.
const progressEvery = 10 * time.Second

// progress shows how far a verification is, now and then.
type progress struct {
	out   io.Writer
	every time.Duration
	clock func() time.Time
	shown time.Time
}

func (p *progress) verified(so storage.Verified) {
	p.show(fmt.Sprintf("%d holdings, %d entries of accounts", so.Holdings, so.Slots))
}

func (p *progress) show(line string) {
	now := p.clock()
	if p.shown.IsZero() {
		p.shown = now
	}
	if now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	fmt.Fprintln(p.out, line)
}
