package transfer

import (
	"errors"
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
