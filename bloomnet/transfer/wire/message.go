package wire

import (
	"bytes"
	"encoding/binary"
	"time"

	"namegate/bloomnet/littleendian"
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
	b = littleendian.AppendText(b, h.Fingerprint)
	return littleendian.AppendText(b, h.Replica)
}

// ParseHello undoes Append. Of another version it gives nothing but that version.
func ParseHello(b []byte) (Hello, error) {
	r := littleendian.New(b)
	if string(r.Bytes(len(magic))) != magic {
		return Hello{}, ErrDamaged
	}
	h := Hello{Version: r.Uint16()}
	if !r.Failed() && h.Version != Version {
		return h, nil
	}
	h.Fingerprint = tagIn(&r, MaxFingerprint)
	r.Require(len(h.Fingerprint) >= MinFingerprint)
	h.Replica = string(r.Text(MaxReplica))
	r.Require(h.Replica != "")
	return h, ended(&r)
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
	b = littleendian.AppendText(b, q.Have)
	return littleendian.AppendText(b, q.Resume)
}

// ParseRequest undoes Append.
func ParseRequest(b []byte) (Request, error) {
	r := littleendian.New(b)
	q := Request{Number: r.Uint32(), Offset: r.Uint32(), Have: tagIn(&r, MaxTag), Resume: tagIn(&r, MaxTag)}
	return q, ended(&r)
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
	return littleendian.AppendText(b, h.Tag)
}

// ParseHead undoes Append.
func ParseHead(b []byte) (Head, error) {
	r := littleendian.New(b)
	h := Head{Length: r.Uint32(), Offset: r.Uint32(), Tag: tagIn(&r, MaxTag)}
	if h.Offset > h.Length {
		return Head{}, ErrDamaged
	}
	return h, ended(&r)
}

// AppendBusy gives the payload of a KindBusy frame, after b: how long to wait.
func AppendBusy(b []byte, d time.Duration) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(d.Milliseconds()))
}

// ParseBusy undoes AppendBusy, to the millisecond.
func ParseBusy(b []byte) (time.Duration, error) {
	r := littleendian.New(b)
	return time.Duration(r.Uint32()) * time.Millisecond, ended(&r)
}

// tagIn reads a copy, as messages are read into buffers that are used again.
func tagIn(r *littleendian.Reader, longest int) []byte { return bytes.Clone(r.Text(longest)) }

// ended refuses a message that is not all there, or has something after it.
func ended(r *littleendian.Reader) error {
	if !r.Ended() {
		return ErrDamaged
	}
	return nil
}
