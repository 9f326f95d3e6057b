package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"namegate/gateway/app"
)

// commands are what the program can do. A field is offered once it works.
type commands struct {
	Dev     devCommand     `cmd:"" help:"Run one replica for trying and developing, with a private PostgreSQL of its own. It makes the secrets and migrates by itself."`
	Serve   serveCommand   `cmd:"" help:"Run one replica on the registry's databases."`
	Migrate migrateCommand `cmd:"" help:"Bring the registry's databases to the schema of this release. Safe to repeat, and while replicas of the release before run."`
	Import  importCommand  `cmd:"" help:"Take names over that are in use already. Safe to repeat."`
	Release releaseCommand `cmd:"" help:"Delete an account: it gives up all identifiers that it has. Safe to repeat."`
	Block   blockCommand   `cmd:"" help:"Block a username, or a value of another kind, on all replicas: an account that has it keeps it, nobody else can have it. Safe to repeat."`
	Unblock unblockCommand `cmd:"" help:"Take a block away: what nobody has is free, what ran out meanwhile too."`
	Verify  verifyCommand  `cmd:"" help:"Look in all databases for broken guarantees. Reads alone, beside replicas that run."`
	Token   tokenCommand   `cmd:"" help:"Print an access token that is signed with the demo key of a replica on this machine."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

type devCommand struct {
	HTTP          string        `default:"127.0.0.1:8080" help:"Where to serve the public. Port 0 takes any free one."`
	ShutdownDelay time.Duration `default:"0s" help:"How long to take calls still after a signal to stop, while /readyz says 503: longer than whoever sends calls takes to hear of that. At most 1m."`
	Introspection bool          `default:"true" negatable:"" help:"Let clients read the schema."`
	Playground    bool          `default:"true" negatable:"" help:"Serve a page to try queries on, at /playground."`
	Demo          bool          `default:"true" negatable:"" help:"Make a demo key and give access tokens away: two are printed, and the sign-up page gets its own. Both listeners must be on loopback."`
	dataFlags
	replicaFlags
}

// Run runs the replica until a signal.
func (c *devCommand) Run(ctx context.Context, std streams) error {
	opts := c.options(std.err)
	opts.Dev, opts.DataDir, opts.Demo, opts.ShutdownDelay = true, c.DataDir, c.Demo, c.ShutdownDelay
	opts.HTTP, opts.Introspection, opts.Playground = c.HTTP, c.Introspection, c.Playground
	if opts.ReservedWordsFile == "" {
		// A terminal that is closed sends SIGHUP: there is nothing to read again, so stop.
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	return runReplica(ctx, opts, func(r *app.Replica) { r.Greet(std.out) })
}

type serveCommand struct {
	HTTP          string        `default:":8080" help:"Where to serve the public. Port 0 takes any free one."`
	ShutdownDelay time.Duration `default:"5s" help:"How long to take calls still after a signal to stop, while /readyz says 503: longer than whoever sends calls takes to hear of that. At most 1m."`
	Introspection bool          `default:"false" negatable:"" help:"Let clients read the schema."`
	Playground    bool          `default:"false" negatable:"" help:"Serve a page to try queries on, at /playground."`
	Demo          bool          `default:"false" negatable:"" help:"Make a demo key and give access tokens away, to the sign-up page and by the command token. Both listeners must be on loopback."`
	demoFlags
	replicaFlags
}

// Run runs the replica until a signal.
func (c *serveCommand) Run(ctx context.Context, std streams) error {
	opts := c.options(std.err)
	opts.HTTP, opts.Introspection, opts.Playground = c.HTTP, c.Introspection, c.Playground
	opts.Demo, opts.DataDir, opts.ShutdownDelay = c.Demo, c.DataDir, c.ShutdownDelay
	return runReplica(ctx, opts, func(*app.Replica) {})
}

// runReplica runs a replica until ctx ends. SIGHUP has it read its words again.
func runReplica(ctx context.Context, opts app.Options, started func(*app.Replica)) error {
	replica, err := app.New(opts)
	if err != nil {
		return usageError{err}
	}
	hangUps := make(chan os.Signal, 1)
	if opts.ReservedWordsFile != "" || !opts.Dev {
		signal.Notify(hangUps, syscall.SIGHUP)
	}
	defer signal.Stop(hangUps)
	running := make(chan error, 1)
	go func() { running <- replica.Run(ctx, func() { started(replica) }) }()
	for {
		select {
		case err := <-running:
			return err
		case <-hangUps:
			replica.Reload()
		}
	}
}

type migrateCommand struct {
	registryFlags
	logFlags
}

// Run migrates.
func (c *migrateCommand) Run(ctx context.Context, std streams) error {
	d := c.databases()
	if err := joinUsage(d.Validate()); err != nil {
		return err
	}
	return app.Migrate(ctx, d, c.logger(std.err))
}

type versionCommand struct{}

// Run prints what the Go tool has recorded of the build.
func (versionCommand) Run(std streams) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this build does not say its version")
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	fmt.Fprintf(std.out, "namegate %s", info.Main.Version)
	if revision := settings["vcs.revision"]; revision != "" {
		fmt.Fprintf(std.out, " (%s, %s)", revision, settings["vcs.time"])
	}
	fmt.Fprintf(std.out, ", %s\n", info.GoVersion)
	return nil
}
