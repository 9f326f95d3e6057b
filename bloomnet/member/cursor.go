package member

import "encoding/binary"

// cursor reads the parts of an encoding, little-endian. After a failure it gives zeros.
type cursor struct {
	rest   []byte
	failed bool
}

func (c *cursor) bytes(n int) []byte {
	if c.failed || n > len(c.rest) {
		c.failed = true
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads what has its length in a byte before it, at most limit.
func (c *cursor) text(limit int) []byte {
	n := int(c.byte())
	if n > limit {
		c.failed = true
	}
	return c.bytes(n)
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(append(b, byte(len(text))), text...)
}
