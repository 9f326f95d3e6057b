package transfer

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"namegate/bloomnet/transfer/wire"
)

// OpenFunc gives the blob of a number, for a client that has one tagged have (empty when
// it has none). It fails with ErrNotHeld, or ErrNotNewer; after another error the client
// is told that the server is busy. It is called by as many goroutines as there are sends.
type OpenFunc func(number uint32, have []byte) (Blob, error)

// ServerOptions bound a Server.
type ServerOptions struct {
	// Sends is how many blobs are on their way at once; further requests are refused with
	// a BusyError.
	Sends int
	// RetryAfter is what a BusyError says.
	RetryAfter time.Duration
	// Rate is how many bytes of blobs are sent a second, over all connections; at least
	// MinRate for each of Sends.
	Rate int
	// Peers is how many connections there are of clients that have proved themselves, and
	// Strangers of those that have not.
	Peers, Strangers int
	// GreetTimeout is how long a client may take to prove itself.
	GreetTimeout time.Duration
	// FrameTimeout is how long a frame may take to be sent.
	FrameTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request. It should be
	// longer than that of a Puller.
	IdleTimeout time.Duration
	// Report is told of what an operator should know: a foreign peer (once each), a blob
	// that could not be opened, a listener that fails. It must not block.
	Report func(error)
}

// MinRate is the lowest rate of one blob, in bytes a second. Frames that are much slower
// would pass a client's deadline.
const MinRate = 1 << 20

// DefaultServerOptions are for a replica among others that do the same.
//
// The rate, 400 MiB/s, is a third of a link of 10 Gbit/s, and costs about half a core:
// enough for one holder alone to fill a new replica at 300 MB/s, too little to take the
// machine away from checks.
func DefaultServerOptions() ServerOptions {
	return ServerOptions{
		Sends:        4,
		RetryAfter:   100 * time.Millisecond,
		Rate:         400 << 20,
		Peers:        256,
		Strangers:    32,
		GreetTimeout: 5 * time.Second,
		FrameTimeout: 5 * time.Second,
		IdleTimeout:  time.Minute,
		Report:       func(error) {},
	}
}

// Validate returns all that is wrong, joined.
func (o ServerOptions) Validate() error {
	var errs []error
	if o.Sends < 1 || o.Peers < 1 || o.Strangers < 1 {
		errs = append(errs, errors.New("sends, peers and strangers must be at least 1"))
	}
	if o.Rate/MinRate < o.Sends {
		errs = append(errs, errors.New("rate must be at least 1 MiB/s for each send"))
	}
	if o.RetryAfter < time.Millisecond || o.RetryAfter.Milliseconds() > math.MaxUint32 {
		errs = append(errs, errors.New("retry time must be from 1 ms to 49 days"))
	}
	if o.GreetTimeout <= 0 || o.FrameTimeout <= 0 || o.IdleTimeout <= 0 {
		errs = append(errs, errors.New("timeouts must be positive"))
	}
	if o.Report == nil {
		errs = append(errs, errors.New("nobody to report to"))
	}
	return errors.Join(errs...)
}

// burst is what the rate lets pass at once after a pause.
const burst = 4 * wire.MaxData

// ServerCounters count since the Server was made.
type ServerCounters struct {
	Sent, Bytes atomic.Uint64 // blobs sent whole; bytes of blobs, also of those that were cut
	Busy        atomic.Uint64 // requests refused for want of a place
	Failed      atomic.Uint64 // blobs that could not be opened
	Untrusted   atomic.Uint64 // connections whose client proved nothing, or did not greet
	Foreign     atomic.Uint64 // connections of another fingerprint or version
	Crowded     atomic.Uint64 // connections closed for want of a place
	Damaged     atomic.Uint64 // connections closed for what the client sent
	Broken      atomic.Uint64 // connections that ended in the middle, or were too slow
}
