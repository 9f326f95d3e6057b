package transfer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Server gives blobs to peers.
type Server struct {
	Counters ServerCounters

	self    Self
	open    OpenFunc
	options ServerOptions

	sends, peers, strangers slots
	bytes                   *rate.Limiter
	foreign                 foreigners
}

// NewServer makes a server of what open gives.
func NewServer(self Self, open OpenFunc, o ServerOptions) (*Server, error) {
	if err := errors.Join(self.Validate(), o.Validate()); err != nil {
		return nil, fmt.Errorf("set up transfer server: %w", err)
	}
	return &Server{
		self: self, open: open, options: o,
		sends: make(slots, o.Sends), peers: make(slots, o.Peers), strangers: make(slots, o.Strangers),
		bytes:   rate.NewLimiter(rate.Limit(o.Rate), burst),
		foreign: foreigners{report: o.Report, told: map[string]bool{}},
	}, nil
}

// acceptPause is how long a listener that fails, as for want of file descriptors, is left alone.
const acceptPause = 100 * time.Millisecond

// Serve answers on a listener, which it closes, until ctx ends, and then returns nil when
// all of its connections are closed. It fails when the listener was closed by another.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() {
		<-ctx.Done()
		l.Close()
	})
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			s.welcome(ctx, conn, &running)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept transfers: %w", err)
		default:
			s.options.Report(fmt.Errorf("accept transfers: %w", err))
			pause(ctx, acceptPause)
		}
	}
}

// welcome starts a session, if there is a place for a stranger.
func (s *Server) welcome(ctx context.Context, conn net.Conn, running *sync.WaitGroup) {
	if !s.strangers.try() {
		s.Counters.Crowded.Add(1)
		conn.Close()
		return
	}
	running.Go(func() {
		defer conn.Close()
		defer closeWith(ctx, conn)()
		s.session(ctx, conn)
	})
}
