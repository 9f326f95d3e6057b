package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"namegate/gateway/verify"
)

// layersToVerify are those of replicas that run.
type layersToVerify struct {
	Replica []string `sep:"none" placeholder:"HOST:PORT" help:"Admin address of a replica that runs; repeat it for more. What its filter, caches and deny list say is then compared with the databases, and nothing else."`
	Share   float64  `default:"1" help:"With --replica: which share of the virtual shards is looked at, chosen at random."`
	Repair  bool     `help:"With --replica: mend what is wrong."`
}

func (l layersToVerify) request() verify.Request {
	return verify.Request{Share: l.Share, Repair: l.Repair}
}

// validate returns all that is wrong, joined.
func (l layersToVerify) validate() error {
	if len(l.Replica) == 0 && (l.Repair || l.Share != 1) {
		return errors.New("--share and --repair need --replica")
	}
	var errs []error
	for _, address := range l.Replica {
		if _, _, err := net.SplitHostPort(address); err != nil {
			errs = append(errs, fmt.Errorf("--replica %s: must be HOST:PORT, as --admin is", address))
		}
	}
	if err := l.request().Validate(); err != nil {
		errs = append(errs, fmt.Errorf("--share: %w", err))
	}
	return errors.Join(errs...)
}

// run has one replica after the other verify its layers.
func (l layersToVerify) run(ctx context.Context, std streams) error {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var errs []error
	for _, address := range l.Replica {
		p := progress{out: std.err, every: progressEvery, clock: time.Now}
		report, err := verify.Ask(ctx, client, address, l.request(), func(f verify.Findings) {
			p.show(fmt.Sprintf("%s: %s, %d names", address, f.Layer, f.Names))
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: %s: %w", errUnseen, address, err))
			continue
		}
		printLayers(std.out, address, report)
		switch {
		case report.Wrong():
			errs = append(errs, fmt.Errorf("%w: %s", errLayers, address))
		case !report.Whole():
			errs = append(errs, fmt.Errorf("%w: %s", errUnseen, address))
		}
	}
	return errors.Join(errs...)
}

// errLayers says that what a replica answers from memory is not so.
var errLayers = errors.New("layers are wrong")

// printLayers prints a line for each layer, each example and all that was not looked at.
func printLayers(w io.Writer, address string, report verify.Report) {
	fmt.Fprintf(w, "%s\n%13s %10s %10s %10s %10s\n", address, "", "names", "answered", "wrong", "mended")
	for _, f := range report.Layers {
		fmt.Fprintf(w, "%13s %10d %10d %10d %10d\n", f.Layer, f.Names, f.Said, f.Wrong, f.Mended)
		for _, example := range f.Examples {
			fmt.Fprintf(w, "%13s   %s\n", "", example)
		}
		for _, what := range f.Unseen {
			fmt.Fprintf(w, "%13s   not looked at: %s\n", "", what)
		}
	}
}
