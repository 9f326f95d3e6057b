package transfer

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
)

const (
	// maxUnproven is how many bytes of a connection are read before its client has proved
	// its key. A handshake has about 2,000.
	maxUnproven = 16 << 10
	unlimited   = math.MaxInt
)

var errUnproven = errors.New("too many bytes without proof of a key")

// meter is a connection that ends after a number of bytes read. It belongs to the
// goroutine that reads.
type meter struct {
	net.Conn
	left int
}

func (m *meter) Read(b []byte) (int, error) {
	if m.left == unlimited {
		return m.Conn.Read(b)
	}
	if m.left == 0 {
		return 0, errUnproven
	}
	n, err := m.Conn.Read(b[:min(len(b), m.left)])
	m.left -= n
	return n, err
}

// slots are places of which each holder takes one.
type slots chan struct{}

// try takes a place if one is free.
func (s slots) try() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// wait takes a place as soon as one is free.
func (s slots) wait(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) free() { <-s }

// closeWith closes c when ctx ends, until released. The release, which must be called
// once, waits for a close that is under way.
func closeWith(ctx context.Context, c io.Closer) (release func()) {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		c.Close()
	})
	return func() {
		if !stop() {
			<-closed
		}
	}
}
