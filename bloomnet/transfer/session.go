package transfer

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"namegate/bloomnet/transfer/wire"
)

// session serves one connection, which has a stranger's place.
func (s *Server) session(ctx context.Context, raw net.Conn) {
	conn, err := s.admit(ctx, raw)
	s.strangers.free()
	if err != nil {
		s.turnAway(err)
		return
	}
	if !s.peers.try() {
		s.Counters.Crowded.Add(1)
		return
	}
	defer s.peers.free()
	for err == nil {
		err = s.answer(ctx, conn)
	}
	s.tally(ctx, err)
}

// tally counts how a session ended.
func (s *Server) tally(ctx context.Context, err error) {
	switch {
	case err == io.EOF || ctx.Err() != nil:
	case isDamage(err):
		s.Counters.Damaged.Add(1)
	default:
		s.Counters.Broken.Add(1)
	}
}

func (s *Server) admit(ctx context.Context, raw net.Conn) (*tls.Conn, error) {
	raw.SetDeadline(time.Now().Add(s.options.GreetTimeout))
	return s.self.greetClient(ctx, raw)
}

func (s *Server) turnAway(err error) {
	if mismatch := (*MismatchError)(nil); errors.As(err, &mismatch) {
		s.Counters.Foreign.Add(1)
		s.foreign.tell(mismatch)
		return
	}
	s.Counters.Untrusted.Add(1)
}

// answer serves the next request. It fails with io.EOF when there is none.
func (s *Server) answer(ctx context.Context, conn *tls.Conn) error {
	q, err := s.hear(conn)
	if err != nil {
		return err
	}
	if !s.sends.try() {
		s.Counters.Busy.Add(1)
		return s.refuse(conn)
	}
	defer s.sends.free()
	blob, err := s.open(q.Number, q.Have)
	if err == nil {
		err = blob.validate()
	}
	if err != nil {
		return s.deny(conn, q.Number, err)
	}
	return s.send(ctx, conn, q, blob)
}

// deny tells a client why it gets no blob.
func (s *Server) deny(conn *tls.Conn, number uint32, err error) error {
	switch {
	case errors.Is(err, ErrNotHeld):
		return s.say(conn, wire.KindNotHeld, nil)
	case errors.Is(err, ErrNotNewer):
		return s.say(conn, wire.KindNotNewer, nil)
	}
	s.Counters.Failed.Add(1)
	s.options.Report(fmt.Errorf("open blob %d: %w", number, err))
	return s.refuse(conn)
}

// hear gets a request. A client that waits too long with it has no more.
func (s *Server) hear(conn *tls.Conn) (wire.Request, error) {
	conn.SetReadDeadline(time.Now().Add(s.options.IdleTimeout))
	kind, payload, err := wire.Read(conn, make([]byte, wire.MaxMessage))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return wire.Request{}, io.EOF
	}
	if err != nil {
		return wire.Request{}, err
	}
	if kind != wire.KindRequest {
		return wire.Request{}, ErrDamaged
	}
	return wire.ParseRequest(payload)
}

func (s *Server) refuse(conn *tls.Conn) error {
	return s.say(conn, wire.KindBusy, wire.AppendBusy(nil, s.options.RetryAfter))
}

func (s *Server) say(conn *tls.Conn, kind wire.Kind, payload []byte) error {
	conn.SetWriteDeadline(time.Now().Add(s.options.FrameTimeout))
	return wire.Write(conn, kind, payload)
}

// send gives the blob from where the client's part of it ends, when that is of this blob.
func (s *Server) send(ctx context.Context, conn *tls.Conn, q wire.Request, blob Blob) error {
	offset := 0
	if bytes.Equal(q.Resume, blob.Tag) && int64(q.Offset) <= int64(len(blob.Data)) {
		offset = int(q.Offset)
	}
	head := wire.Head{Length: uint32(len(blob.Data)), Offset: uint32(offset), Tag: blob.Tag}
	if err := s.say(conn, wire.KindHead, head.Append(nil)); err != nil {
		return err
	}
	return s.sendData(ctx, conn, blob.Data, offset)
}

// sendData gives the bytes from the offset on, and the sum of all.
func (s *Server) sendData(ctx context.Context, conn *tls.Conn, data []byte, offset int) error {
	sum := wire.NewSum()
	sum.Write(data[:offset])
	for frame := range slices.Chunk(data[offset:], wire.MaxData) {
		if err := s.bytes.WaitN(ctx, len(frame)); err != nil {
			return err
		}
		if err := s.say(conn, wire.KindData, frame); err != nil {
			return err
		}
		s.Counters.Bytes.Add(uint64(len(frame)))
		sum.Write(frame)
	}
	s.Counters.Sent.Add(1)
	return s.say(conn, wire.KindEnd, sum.Sum(nil))
}
