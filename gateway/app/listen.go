package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"namegate/gateway/edge"
)

// The time limits of a connection. An operation has a shorter one of its own, so
// an answer is never cut off by these.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 15 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 16 << 10
)

// drainTimeout is how long a stop waits for requests under way.
const drainTimeout = 10 * time.Second

// listen binds an address that a flag names.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s %s: another program listens on this address; choose another one by %s (port 0 takes any free one)",
			flag, address, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return l, nil
}

// bind takes both addresses before anything slow begins, so that one in use is
// noticed at once. A connection made before the replica serves waits.
func (r *Replica) bind(ctx context.Context) (err error) {
	if r.http, err = listen(ctx, "--http", r.opts.HTTP); err != nil {
		return err
	}
	r.undo.add("close the HTTP address", closing(r.http))
	if r.admin, err = listen(ctx, "--admin", r.opts.Admin); err != nil {
		return err
	}
	r.undo.add("close the admin address", closing(r.admin))
	return nil
}

// retire tells probes that no more calls should come, and takes those that still do: it
// takes a proxy or balancer a while to hear of it.
func (r *Replica) retire(ctx context.Context) error {
	r.health.SetPhase(edge.Stopping)
	select {
	case <-time.After(r.opts.ShutdownDelay):
	case <-ctx.Done():
	}
	return nil
}

// closing closes a listener unless its server has done so.
func closing(l net.Listener) func(context.Context) error {
	return func(context.Context) error {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// server serves one listener until it is stopped.
type server struct {
	http *http.Server
	done chan struct{} // closed when it serves no more
}

// serve begins to serve. An end that stop did not ask for is sent to failed,
// which must have room.
func serve(l net.Listener, h http.Handler, log *slog.Logger, failed chan<- error) *server {
	s := &server{
		http: &http.Server{
			Handler:           h,
			ReadHeaderTimeout: readHeaderTimeout,
			ReadTimeout:       readTimeout,
			WriteTimeout:      writeTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
	}()
	return s
}

// stop takes no more requests and waits for those under way, for drainTimeout at
// most; then it cuts their connections.
func (s *server) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("answer all requests: %w", err), s.http.Close())
	}
	<-s.done
	return err
}
