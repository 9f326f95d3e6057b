package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"time"

	"namegate/bloomnet/transfer/wire"
)

// firstPiece is the most memory, in bytes, that is taken on a peer's word. Most blobs fit.
const firstPiece = 4 << 20

var errTooLong = errors.New("blob is too long")

// part is as much of a blob as has come, from whichever peers.
type part struct {
	number  uint32
	have    []byte
	longest int
	timeout time.Duration // of each frame

	tag    []byte
	data   []byte
	length int       // of the whole blob
	sum    hash.Hash // of data
}

// request asks for the rest of the blob. answered says that the peer said anything.
func (t *part) request(c *link, counters *PullerCounters) (blob Blob, answered bool, err error) {
	kind, payload, err := t.ask(c)
	if err != nil {
		return Blob{}, false, err
	}
	if err := t.begin(kind, payload); err != nil {
		return Blob{}, true, err
	}
	if len(t.data) > 0 {
		counters.Resumed.Add(1)
	}
	for len(t.data) < t.length {
		n, err := t.next(c)
		counters.Bytes.Add(uint64(n))
		if err != nil {
			return Blob{}, true, err
		}
	}
	err = t.finish(c)
	return Blob{Tag: t.tag, Data: t.data}, true, err
}

func (t *part) ask(c *link) (wire.Kind, []byte, error) {
	c.SetWriteDeadline(time.Now().Add(t.timeout))
	q := wire.Request{Number: t.number, Have: t.have, Resume: t.tag, Offset: uint32(len(t.data))}
	if err := wire.Write(c, wire.KindRequest, q.Append(nil)); err != nil {
		return 0, nil, err
	}
	return t.hear(c, make([]byte, wire.MaxMessage))
}

// hear reads a frame, for no longer than that may take.
func (t *part) hear(c *link, buffer []byte) (wire.Kind, []byte, error) {
	c.SetReadDeadline(time.Now().Add(t.timeout))
	return wire.Read(c, buffer)
}

// begin takes the answer to a request, up to the bytes of the blob.
func (t *part) begin(kind wire.Kind, payload []byte) error {
	switch kind {
	case wire.KindHead:
		head, err := wire.ParseHead(payload)
		if err != nil {
			return err
		}
		return t.match(head)
	case wire.KindBusy:
		after, err := wire.ParseBusy(payload)
		if err != nil {
			return err
		}
		return &BusyError{RetryAfter: after}
	case wire.KindNotHeld:
		return ErrNotHeld
	case wire.KindNotNewer:
		return ErrNotNewer
	}
	return ErrDamaged
}

// match sees whether the blob goes on where the part ends, or begins anew.
func (t *part) match(head wire.Head) error {
	switch {
	case int64(head.Length) > int64(t.longest):
		return fmt.Errorf("%w: %d bytes", errTooLong, head.Length)
	case head.Offset == 0:
		t.tag, t.data, t.length, t.sum = head.Tag, nil, int(head.Length), wire.NewSum()
		return nil
	case int(head.Offset) == len(t.data) && int(head.Length) == t.length && bytes.Equal(head.Tag, t.tag):
		return nil
	}
	return ErrDamaged
}

// next reads one frame of data, to its place.
func (t *part) next(c *link) (int, error) {
	most := min(t.length-len(t.data), wire.MaxData)
	t.data = grow(t.data, most, t.length)
	end := len(t.data)
	kind, payload, err := t.hear(c, t.data[end:end+most])
	if err != nil {
		return 0, err
	}
	if kind != wire.KindData || len(payload) == 0 {
		return 0, ErrDamaged
	}
	t.data = t.data[:end+len(payload)]
	t.sum.Write(payload)
	return len(payload), nil
}

// grow makes place for n more bytes, when length are to come in all.
func grow(data []byte, n, length int) []byte {
	if len(data)+n <= cap(data) {
		return data
	}
	return append(make([]byte, 0, min(length, max(firstPiece, 2*cap(data)))), data...)
}

// finish compares the checksum of the whole. What it is not of is forgotten.
func (t *part) finish(c *link) error {
	kind, sum, err := t.hear(c, make([]byte, wire.SumSize))
	if err != nil {
		return err
	}
	if kind != wire.KindEnd || !bytes.Equal(sum, t.sum.Sum(nil)) {
		t.tag, t.data, t.length = nil, nil, 0
		return ErrDamaged
	}
	return nil
}
