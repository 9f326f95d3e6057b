package bloom

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync/atomic"
)

// An encoded filter is, little-endian: magic (4 bytes), version (1), bits of a name's
// pattern (1), bits of a block (2), number of blocks (4), the words of the blocks (8
// each), and the CRC-32C of all before (4).
const (
	magic       = "ngbf"
	version     = 1
	headerBytes = 12
	sumBytes    = crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrEncoding refuses bytes that are no filter of a version and pattern that this release
// knows, in full and undamaged.
var ErrEncoding = errors.New("not an encoded filter")

// AppendBinary implements encoding.BinaryAppender; it never fails. Equal filters have
// equal bytes. It has all names whose Add returned before, and may have some bits of
// those being added.
func (f *Filter) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b = slices.Grow(b, headerBytes+len(f.blocks)*lineBytes+sumBytes)
	b = append(b, magic...)
	b = append(b, version, patternBits)
	b = binary.LittleEndian.AppendUint16(b, blockBits)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.blocks)))
	for i := range f.blocks {
		for j := range f.blocks[i] {
			b = binary.LittleEndian.AppendUint64(b, atomic.LoadUint64(&f.blocks[i][j]))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli)), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It fails with ErrEncoding, which
// leaves the filter as it was. It takes memory for what is there, never for what is said
// to be there. Nobody else may use the filter meanwhile.
func (f *Filter) UnmarshalBinary(b []byte) error {
	if len(b) < headerBytes+sumBytes {
		return fmt.Errorf("%w: %d bytes", ErrEncoding, len(b))
	}
	body, sum := b[:len(b)-sumBytes], binary.LittleEndian.Uint32(b[len(b)-sumBytes:])
	blocks, err := readHeader(body)
	if err != nil {
		return err
	}
	if crc32.Checksum(body, castagnoli) != sum {
		return fmt.Errorf("%w: checksum differs", ErrEncoding)
	}
	f.blocks = newBlocks(blocks)
	words := body[headerBytes:]
	for i := range f.blocks {
		for j := range f.blocks[i] {
			f.blocks[i][j] = binary.LittleEndian.Uint64(words[(i*blockWords+j)*8:])
		}
	}
	return nil
}

// readHeader gives the number of blocks, which is that of the bytes behind the header.
func readHeader(body []byte) (blocks int, err error) {
	header, rest := body[:headerBytes], len(body)-headerBytes
	said := binary.LittleEndian.Uint32(header[8:])
	switch {
	case string(header[:4]) != magic || header[4] != version:
		return 0, fmt.Errorf("%w: header %x", ErrEncoding, header)
	case header[5] != patternBits || binary.LittleEndian.Uint16(header[6:]) != blockBits:
		return 0, fmt.Errorf("%w: parameters %x", ErrEncoding, header[5:8])
	case said < 1 || said > maxBlocks || uint64(rest) != uint64(said)*lineBytes:
		return 0, fmt.Errorf("%w: %d bytes for %d blocks", ErrEncoding, rest, said)
	}
	return int(said), nil
}
