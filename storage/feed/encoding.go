package feed

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

var (
	_ encoding.BinaryMarshaler   = Position{}
	_ encoding.BinaryUnmarshaler = (*Position)(nil)
	_ encoding.TextMarshaler     = Position{}
	_ encoding.TextUnmarshaler   = (*Position)(nil)
)

// A position is stored as: version (1 byte), database (16 bytes), system (8),
// timeline (4), Xmax (8), Began (8), then each of Running (8); little-endian. So each
// position has one encoding.
const (
	encodingVersion = 2
	headerSize      = 1 + 16 + 8 + 4 + 8 + 8
)

// errEncoding says that bytes are no position of a version that this release knows.
var errEncoding = errors.New("not a position in a feed")

// MarshalBinary fails for the zero Position, and for one that no snapshot can give.
func (p Position) MarshalBinary() ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	b := make([]byte, 0, headerSize+8*len(p.Running))
	b = append(b, encodingVersion)
	b = append(b, p.Source.Database[:]...)
	b = binary.LittleEndian.AppendUint64(b, p.Source.System)
	b = binary.LittleEndian.AppendUint32(b, p.Source.Timeline)
	b = binary.LittleEndian.AppendUint64(b, p.Xmax)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Began))
	for _, xid := range p.Running {
		b = binary.LittleEndian.AppendUint64(b, xid)
	}
	return b, nil
}

// UnmarshalBinary accepts nothing but what MarshalBinary gives.
func (p *Position) UnmarshalBinary(b []byte) error {
	if len(b) < headerSize || b[0] != encodingVersion || (len(b)-headerSize)%8 != 0 {
		return errEncoding
	}
	var d Position
	b = b[1+copy(d.Source.Database[:], b[1:]):]
	d.Source.System, b = binary.LittleEndian.Uint64(b), b[8:]
	d.Source.Timeline, b = binary.LittleEndian.Uint32(b), b[4:]
	d.Xmax, b = binary.LittleEndian.Uint64(b), b[8:]
	d.Began, b = int64(binary.LittleEndian.Uint64(b)), b[8:]
	for ; len(b) > 0; b = b[8:] {
		d.Running = append(d.Running, binary.LittleEndian.Uint64(b))
	}
	if d.validate() != nil {
		return errEncoding
	}
	*p = d
	return nil
}

// textEncoding is that of RFC 4648 section 5, without padding.
var textEncoding = base64.RawURLEncoding.Strict()

// MarshalText is the binary form in base64url, for JSON too.
func (p Position) MarshalText() ([]byte, error) {
	b, err := p.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return textEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText accepts nothing but what MarshalText gives. The library's decoder
// would skip line breaks.
func (p *Position) UnmarshalText(text []byte) error {
	b, err := textEncoding.AppendDecode(nil, text)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return errEncoding
	}
	return p.UnmarshalBinary(b)
}
