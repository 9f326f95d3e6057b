package transfer

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// PullerOptions bound a Puller.
type PullerOptions struct {
	// Dial connects to a peer's address.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Random gives numbers from 0 to below 1. It is called by many goroutines.
	Random func() float64
	// Pulls is how many numbers are pulled at once, and PullsPerPeer how many of them from
	// one peer; it is also how many connections there are to it.
	Pulls, PullsPerPeer int
	// MaxBlob is the longest blob that is taken, in bytes; at most MaxBlob.
	MaxBlob int
	// Rounds is how often each peer is asked before a pull fails.
	Rounds int
	// MinPause and MaxPause bound the pause between rounds: a random part (full jitter) of
	// MinPause, which doubles with each round up to MaxPause, after the shortest time that
	// a busy peer asked for.
	MinPause, MaxPause time.Duration
	// ConnectTimeout is how long it may take to connect, to prove the keys and to greet.
	ConnectTimeout time.Duration
	// FrameTimeout is how long a frame may take to come.
	FrameTimeout time.Duration
	// IdleTimeout is how long a connection is kept for the next pull. It should be shorter
	// than that of a Server.
	IdleTimeout time.Duration
}

// DefaultPullerOptions are for a replica among others that do the same, over TCP. Random
// is the caller's.
func DefaultPullerOptions() PullerOptions {
	return PullerOptions{
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
		Pulls:          8,
		PullsPerPeer:   2,
		MaxBlob:        MaxBlob,
		Rounds:         5,
		MinPause:       100 * time.Millisecond,
		MaxPause:       10 * time.Second,
		ConnectTimeout: 5 * time.Second,
		FrameTimeout:   5 * time.Second,
		IdleTimeout:    30 * time.Second,
	}
}

// Validate returns all that is wrong, joined.
func (o PullerOptions) Validate() error {
	var errs []error
	if o.Dial == nil || o.Random == nil {
		errs = append(errs, errors.New("no way to dial, or no random numbers"))
	}
	if o.Pulls < 1 || o.PullsPerPeer < 1 || o.Rounds < 1 {
		errs = append(errs, errors.New("pulls, pulls per peer and rounds must be at least 1"))
	}
	if o.MaxBlob < 1 || o.MaxBlob > MaxBlob {
		errs = append(errs, errors.New("longest blob must be from 1 byte to 64 MiB"))
	}
	if o.MinPause <= 0 || o.MaxPause < o.MinPause {
		errs = append(errs, errors.New("pauses must be positive, the longest not below the shortest"))
	}
	if o.ConnectTimeout <= 0 || o.FrameTimeout <= 0 || o.IdleTimeout <= 0 {
		errs = append(errs, errors.New("timeouts must be positive"))
	}
	return errors.Join(errs...)
}

// PullerCounters count since the Puller was made.
type PullerCounters struct {
	Pulled, Bytes atomic.Uint64 // blobs that came whole; bytes of blobs, also of those that did not
	Connected     atomic.Uint64 // connections that were made
	Resumed       atomic.Uint64 // transfers that went on where an earlier one was cut
	Busy          atomic.Uint64 // requests that a busy peer refused
	Damaged       atomic.Uint64 // connections closed for what the peer sent
	Failed        atomic.Uint64 // attempts that failed otherwise, but for "not held" and "not newer"
}
