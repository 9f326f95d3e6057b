package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"namegate/gateway/auth"
	"namegate/gateway/edge"
	"namegate/gateway/verify"
)

// stopTimeout bounds a stop as a whole, after its delay: drained requests, statements
// under way, and the shutdown of the embedded PostgreSQL.
const stopTimeout = 30 * time.Second

// Replica is one gateway. It is started and stopped once.
type Replica struct {
	opts   Options
	log    *slog.Logger
	health edge.Health
	words  reservedWords
	failed chan error // why a listener stopped serving, or the embedded PostgreSQL ended

	http, admin net.Listener // set by Start

	fleet     fleetwide                     // set by Start
	verifying atomic.Pointer[verify.Server] // set by Start, when the layers are there

	callers *auth.Verifier // set by Start
	demo    *auth.Demo     // set by Start; nil unless opts.Demo

	stopping sync.Mutex // held while undo runs
	undo     cleanups
}

// New checks the options. Nothing is opened before Start.
func New(opts Options) (*Replica, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return &Replica{
		opts:   opts,
		log:    opts.Logger.With("component", "app"),
		words:  reservedWords{path: opts.ReservedWordsFile},
		failed: make(chan error, 3), // one for each of these
	}, nil
}

// Run starts the replica, calls started, and serves until ctx ends, which is no
// error, or a listener or the embedded PostgreSQL fails. It returns when everything is stopped.
func (r *Replica) Run(ctx context.Context, started func()) error {
	if err := r.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	started()
	var err error
	select {
	case <-ctx.Done():
	case err = <-r.failed:
	}
	r.log.Info("stopping")
	err = errors.Join(err, r.Stop(context.WithoutCancel(ctx)))
	r.log.Info("stopped")
	return err
}

// databasesEnded stops the replica: without the databases that it embeds it is of
// no use, and the next start recovers them.
func (r *Replica) databasesEnded(err error) {
	if err == nil {
		err = errors.New("somebody stopped it")
	}
	r.failed <- fmt.Errorf("the embedded PostgreSQL has ended by itself: %w", err)
}

// Start brings the replica up and returns when it serves. A start that fails
// leaves nothing behind.
func (r *Replica) Start(ctx context.Context) error {
	if err := r.start(ctx); err != nil {
		return errors.Join(err, r.Stop(context.WithoutCancel(ctx)))
	}
	r.log.Info("ready", "http", r.HTTPAddr(), "admin", r.AdminAddr())
	return nil
}

func (r *Replica) start(ctx context.Context) error {
	if err := r.words.read(); err != nil {
		return fmt.Errorf("--reserved-words: %w", err)
	}
	if err := r.bind(ctx); err != nil {
		return err
	}
	if err := r.checkDemo(); err != nil {
		return err
	}
	if err := r.openCallers(); err != nil {
		return err
	}
	admin := serve(r.admin, r.adminRoutes(), r.log, r.failed)
	r.undo.add("stop the admin listener", admin.stop)
	reg, err := r.openRegistry(ctx)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil { // a store opens without its databases, too
		return err
	}
	public := serve(r.http, r.routes(reg), r.log, r.failed)
	r.undo.add("stop the HTTP listener", public.stop)
	r.undo.add("fail readiness", r.retire)
	r.health.SetPhase(edge.Serving)
	return nil
}

// Stop undoes what Start did, within stopTimeout after its delay. It may be called again, but not
// while Start runs.
func (r *Replica) Stop(ctx context.Context) error {
	r.stopping.Lock()
	defer r.stopping.Unlock()
	ctx, cancel := context.WithTimeout(ctx, r.opts.ShutdownDelay+stopTimeout)
	defer cancel()
	return r.undo.run(ctx)
}

// Reload reads the file of reserved words again. When it is broken, the list in
// force stays, and the log says which line is wrong.
func (r *Replica) Reload() {
	if err := r.words.read(); err != nil {
		r.log.Error("reserved words are refused; the former list stays in force", "cause", err)
		return
	}
	r.log.Info("reserved words are read again", "file", r.words.path)
}

// HTTPAddr is where the public listener is bound. It may be called after Start.
func (r *Replica) HTTPAddr() string { return r.http.Addr().String() }

// AdminAddr is where the admin listener is bound. It may be called after Start.
func (r *Replica) AdminAddr() string { return r.admin.Addr().String() }

// GossipAddr is where other replicas reach this one; of no use for a replica that stands
// alone. It may be called after Start.
func (r *Replica) GossipAddr() string { return r.fleet.net.Gossip().String() }
