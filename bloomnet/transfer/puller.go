package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Puller gets blobs from peers.
type Puller struct {
	Counters PullerCounters

	self    Self
	options PullerOptions
	pulls   slots

	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	running sync.WaitGroup // pulls, and connections that may be dropped when idle

	mu      sync.Mutex
	closed  bool               // guarded by mu
	flights map[uint32]*flight // pulls under way, by number; guarded by mu
	peers   map[string]*peer   // those with connections, by address; guarded by mu
}

// NewPuller makes a puller. It is closed by Close.
func NewPuller(self Self, o PullerOptions) (*Puller, error) {
	if err := errors.Join(self.Validate(), o.Validate()); err != nil {
		return nil, fmt.Errorf("set up transfers: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Puller{
		self: self, options: o, pulls: make(slots, o.Pulls), ctx: ctx, stop: stop,
		flights: map[uint32]*flight{}, peers: map[string]*peer{},
	}, nil
}

// Close ends all pulls, with ErrClosed, and closes all connections.
func (p *Puller) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.dropIdle()
	p.running.Wait()
}

// flight is one pull, for all who want the number.
type flight struct {
	cancel  context.CancelFunc
	waiting int // guarded by the Puller's mu
	done    chan struct{}
	blob    Blob  // set when done
	err     error // set when done
}

// Pull gets the blob of a number that is newer than what is tagged have (empty for
// nothing), from any of the peers' addresses, which are tried in random order. Peers that
// may have it later are tried again, after pauses, so that the caller need wait only
// between calls. It fails with a *PullError of all peers' reasons: ErrNotHeld, ErrNotNewer,
// *BusyError, *MismatchError, ErrUntrusted, ErrDamaged, or those of the network.
//
// Who pulls a number that is being pulled gets what the pull under way gets, whatever it
// was told of peers and of what is there. It ends when all who wait for it have left.
func (p *Puller) Pull(ctx context.Context, addresses []string, number uint32, have []byte) (Blob, error) {
	f, err := p.board(addresses, number, have)
	if err != nil {
		return Blob{}, err
	}
	select {
	case <-f.done:
		return f.blob, f.err
	case <-ctx.Done():
		p.leave(number, f)
		return Blob{}, ctx.Err()
	}
}

// board joins the flight of a number, or starts it.
func (p *Puller) board(addresses []string, number uint32, have []byte) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if f := p.flights[number]; f != nil {
		f.waiting++
		return f, nil
	}
	ctx, cancel := context.WithCancel(p.ctx)
	f := &flight{cancel: cancel, waiting: 1, done: make(chan struct{})}
	p.flights[number] = f
	p.running.Go(func() {
		defer cancel()
		f.blob, f.err = p.pull(ctx, addresses, number, have)
		p.mu.Lock()
		p.land(number, f)
		p.mu.Unlock()
		close(f.done)
	})
	return f, nil
}

// leave ends the flight when nobody waits for it any longer.
func (p *Puller) leave(number uint32, f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		p.land(number, f)
	}
}

// land lets the number be pulled anew. It is called with mu locked.
func (p *Puller) land(number uint32, f *flight) {
	if p.flights[number] == f {
		delete(p.flights, number)
	}
}
