package wire

import (
	"bytes"
	"encoding/binary"
)

// reader reads the parts of a message. After a failure it gives zeros.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if r.failed || n > len(r.rest) {
		r.failed = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// text is a copy, as messages are read into buffers that are used again.
func (r *reader) text(shortest, longest int) []byte {
	length := r.take(1)
	if length == nil || int(length[0]) < shortest || int(length[0]) > longest {
		r.failed = true
		return nil
	}
	return bytes.Clone(r.take(int(length[0])))
}

// end says whether all was there, and nothing more.
func (r *reader) end() error {
	if r.failed || len(r.rest) > 0 {
		return ErrDamaged
	}
	return nil
}

func appendText(b, text []byte) []byte {
	return append(append(b, byte(len(text))), text...)
}
