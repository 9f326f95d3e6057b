package littleendian

import "encoding/binary"

// Reader takes an encoding apart, from its beginning. What it gives shares memory with
// the encoding. After a failure it gives zeros, so that it is enough to ask at the end
// whether all was there.
type Reader struct {
	rest   []byte
	failed bool
}

// New gives a Reader of an encoding.
func New(b []byte) Reader { return Reader{rest: b} }

// Rest is what has not been read; nothing after a failure.
func (r *Reader) Rest() []byte { return r.rest }

// Failed says that something that was to be read is not there, or was not as required.
func (r *Reader) Failed() bool { return r.failed }

// Ended says that all that was to be read was there, and nothing more.
func (r *Reader) Ended() bool { return !r.failed && len(r.rest) == 0 }

// Require is a failure unless what has been read is as it must be.
func (r *Reader) Require(ok bool) {
	if !ok {
		r.failed, r.rest = true, nil
	}
}

// Bytes reads so many bytes; nil after a failure, and only then.
func (r *Reader) Bytes(n int) []byte {
	r.Require(0 <= n && n <= len(r.rest))
	if r.failed {
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Byte reads a number of one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads a number of two bytes.
func (r *Reader) Uint16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads a number of four bytes.
func (r *Reader) Uint32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a number of eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Count reads a number of four bytes that is at most so much.
func (r *Reader) Count(most int) int {
	n := r.Uint32()
	r.Require(uint64(n) <= uint64(max(most, 0)))
	if r.failed {
		return 0
	}
	return int(n)
}

// Text reads bytes that have their length, at most so much, in one byte before them.
func (r *Reader) Text(most int) []byte {
	n := int(r.Byte())
	r.Require(n <= most)
	return r.Bytes(n)
}

// AppendText appends text, of at most 255 bytes, as Text reads it.
func AppendText[T string | []byte](b []byte, text T) []byte {
	return append(append(b, byte(len(text))), text...)
}
