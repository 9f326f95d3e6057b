package transfer

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"namegate/bloomnet/transfer/wire"
)

// Self is what a replica shows of itself.
type Self struct {
	Identity *Identity
	// Fingerprint stands for all that must be equal for blobs to be of use, 8 to 32
	// bytes. Peers with another one are refused.
	Fingerprint []byte
	// Replica is the replica's id, 1 to 64 bytes.
	Replica string
}

// Validate returns all that is wrong, joined.
func (s Self) Validate() error {
	var errs []error
	if s.Identity == nil {
		errs = append(errs, errors.New("no identity"))
	}
	if n := len(s.Fingerprint); n < wire.MinFingerprint || n > wire.MaxFingerprint {
		errs = append(errs, fmt.Errorf("fingerprint has %d bytes, not %d to %d", n, wire.MinFingerprint, wire.MaxFingerprint))
	}
	if n := len(s.Replica); n < 1 || n > wire.MaxReplica {
		errs = append(errs, fmt.Errorf("replica id has %d bytes, not 1 to %d", n, wire.MaxReplica))
	}
	return errors.Join(errs...)
}

// greetServer is the client's side of a new connection, up to the first request. It
// listens first: so it hears whether its key was refused.
func (s Self) greetServer(ctx context.Context, raw net.Conn) (*tls.Conn, error) {
	conn := tls.Client(raw, s.Identity.Config())
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, trust(err)
	}
	heard := s.hearHello(conn)
	if heard != nil && !isForeign(heard) {
		return nil, heard
	}
	return conn, errors.Join(heard, s.sayHello(conn))
}

// greetClient is the server's side.
func (s Self) greetClient(ctx context.Context, raw net.Conn) (*tls.Conn, error) {
	unproven := &meter{Conn: raw, left: maxUnproven}
	conn := tls.Server(unproven, s.Identity.Config())
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	unproven.left = unlimited
	if err := s.sayHello(conn); err != nil {
		return nil, err
	}
	return conn, s.hearHello(conn)
}

func (s Self) sayHello(conn net.Conn) error {
	hello := wire.Hello{Version: wire.Version, Fingerprint: s.Fingerprint, Replica: s.Replica}
	return wire.Write(conn, wire.KindHello, hello.Append(nil))
}

func (s Self) hearHello(conn net.Conn) error {
	kind, payload, err := wire.Read(conn, make([]byte, wire.MaxMessage))
	if err != nil {
		return trust(err)
	}
	if kind != wire.KindHello {
		return ErrDamaged
	}
	h, err := wire.ParseHello(payload)
	if err != nil {
		return err
	}
	if h.Version != wire.Version || !bytes.Equal(h.Fingerprint, s.Fingerprint) {
		return &MismatchError{Version: h.Version, Fingerprint: h.Fingerprint, Replica: h.Replica}
	}
	return nil
}

func isForeign(err error) bool {
	mismatch := (*MismatchError)(nil)
	return errors.As(err, &mismatch)
}

// trust tells when a peer has refused this side's key: TLS 1.3 lets a client hear of it
// only after its handshake, as an alert.
func trust(err error) error {
	if alert := (*net.OpError)(nil); errors.As(err, &alert) && alert.Op == "remote error" {
		return fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	return err
}

// isDamage tells what a peer should not have sent from connections that ended. TLS finds
// what was changed on its way, and says so as an alert of its own.
func isDamage(err error) bool {
	alert := (*net.OpError)(nil)
	record := tls.RecordHeaderError{}
	return errors.Is(err, ErrDamaged) || errors.As(err, &record) || errors.As(err, &alert) && alert.Op == "local error"
}
