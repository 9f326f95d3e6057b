package wire

import (
	"encoding/binary"
	"time"
)

const (
	// Version is that of the messages. Peers of another one share nothing.
	Version = 1
	// MaxTag is the longest tag, in bytes.
	MaxTag = 64
	// MinFingerprint and MaxFingerprint bound a fingerprint, in bytes.
	MinFingerprint, MaxFingerprint = 8, 32
	// MaxReplica is the longest replica id, in bytes.
	MaxReplica = 64

	magic = "bntr"
)

// Hello is what a peer says of itself.
type Hello struct {
	Version     uint16
	Fingerprint []byte // stands for all that must be equal for blobs to be of use
	Replica     string // id of the replica
}

// Append gives the payload of a KindHello frame, after b.
func (h Hello) Append(b []byte) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, h.Version)
	b = appendText(b, h.Fingerprint)
	return appendText(b, []byte(h.Replica))
}

// ParseHello undoes Append. Of another version it gives nothing but that version.
func ParseHello(b []byte) (Hello, error) {
	r := reader{rest: b}
	if string(r.take(len(magic))) != magic {
		return Hello{}, ErrDamaged
	}
	h := Hello{Version: r.uint16()}
	if !r.failed && h.Version != Version {
		return h, nil
	}
	h.Fingerprint = r.text(MinFingerprint, MaxFingerprint)
	h.Replica = string(r.text(1, MaxReplica))
	return h, r.end()
}

// Request asks for a blob.
type Request struct {
	Number uint32
	// Offset is how much of the blob that is tagged Resume is there already; 0 when none.
	Offset uint32
	Have   []byte // tag of what the client has; empty when nothing
	Resume []byte
}

// Append gives the payload of a KindRequest frame, after b.
func (q Request) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, q.Number)
	b = binary.LittleEndian.AppendUint32(b, q.Offset)
	b = appendText(b, q.Have)
	return appendText(b, q.Resume)
}

// ParseRequest undoes Append.
func ParseRequest(b []byte) (Request, error) {
	r := reader{rest: b}
	q := Request{Number: r.uint32(), Offset: r.uint32(), Have: r.text(0, MaxTag), Resume: r.text(0, MaxTag)}
	return q, r.end()
}

// Head comes before the bytes of a blob.
type Head struct {
	Length uint32 // of the whole blob
	Offset uint32 // of the first byte that follows
	Tag    []byte
}

// Append gives the payload of a KindHead frame, after b.
func (h Head) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, h.Length)
	b = binary.LittleEndian.AppendUint32(b, h.Offset)
	return appendText(b, h.Tag)
}

// ParseHead undoes Append.
func ParseHead(b []byte) (Head, error) {
	r := reader{rest: b}
	h := Head{Length: r.uint32(), Offset: r.uint32(), Tag: r.text(0, MaxTag)}
	if h.Offset > h.Length {
		return Head{}, ErrDamaged
	}
	return h, r.end()
}

// AppendBusy gives the payload of a KindBusy frame, after b: how long to wait.
func AppendBusy(b []byte, d time.Duration) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(d.Milliseconds()))
}

// ParseBusy undoes AppendBusy, to the millisecond.
func ParseBusy(b []byte) (time.Duration, error) {
	r := reader{rest: b}
	return time.Duration(r.uint32()) * time.Millisecond, r.end()
}
