package shard

import (
	"encoding/binary"
	"slices"

	"namegate/bloomnet/bloom"
)

// imageReader reads the parts of an encoded image. After a failure it gives zeros.
type imageReader struct {
	rest    []byte
	numbers []int // of the databases, in the order of the image
	failed  bool
}

func (r *imageReader) bytes(n int) []byte {
	if r.failed || n > len(r.rest) {
		r.failed = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *imageReader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *imageReader) uint16() uint16 {
	if b := r.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *imageReader) uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *imageReader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *imageReader) text() string { return string(r.bytes(int(r.uint16()))) }

func (r *imageReader) position() Position {
	return Position{Source: r.text(), At: r.uint64(), Token: r.text()}
}

// databases reads the names, all different, each of which the replica must know.
func (r *imageReader) databases(number func(string) (int, bool)) {
	for range int(r.byte()) {
		n, known := number(r.text())
		r.failed = r.failed || !known || slices.Contains(r.numbers, n)
		r.numbers = append(r.numbers, n)
	}
}

func (r *imageReader) database() int {
	n := int(r.byte())
	if r.failed || n >= len(r.numbers) {
		r.failed = true
		return 0
	}
	return r.numbers[n]
}

// entries reads as many as are said to be there, when there are bytes for them.
func (r *imageReader) entries() []Entry {
	n := int(r.uint32())
	if r.failed || n > len(r.rest)/entrySize {
		r.failed = true
		return nil
	}
	list := make([]Entry, 0, n)
	for range n {
		list = append(list, r.entry())
	}
	return list
}

func (r *imageReader) entry() Entry {
	h := bloom.Hash{Hi: r.uint64(), Lo: r.uint64()}
	e := Entry{Hash: h, Epoch: uint64(r.uint32()), At: r.uint64(), Database: r.database()}
	flags := r.byte()
	e.Reserved, r.failed = flags == 1, r.failed || flags > 1
	return e
}
