package shard

import (
	"slices"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/littleendian"
)

// imageReader reads the parts of an encoded image.
type imageReader struct {
	littleendian.Reader
	numbers []int // of the databases, in the order of the image; nobody for unknown ones
	unknown bool  // something is of one that is unknown
}

func (r *imageReader) name() string { return string(r.Bytes(int(r.Uint16()))) }

func (r *imageReader) position() Position {
	return Position{Source: r.name(), At: r.Uint64(), Token: r.name()}
}

// databases reads the names. Those that the replica knows are all different.
func (r *imageReader) databases(number func(string) (int, bool)) {
	for range int(r.Byte()) {
		n, known := number(r.name())
		if !known {
			n = nobody
		}
		r.Require(!known || !slices.Contains(r.numbers, n))
		r.numbers = append(r.numbers, n)
	}
}

func (r *imageReader) database() int {
	n := int(r.Byte())
	r.Require(n < len(r.numbers))
	if r.Failed() {
		return 0
	}
	if r.numbers[n] == nobody {
		r.unknown = true
		return 0
	}
	return r.numbers[n]
}

// entries reads as many as are said to be there, when there are bytes for them.
func (r *imageReader) entries() []Entry {
	n := int(r.Uint32())
	r.Require(n <= len(r.Rest())/entrySize)
	if r.Failed() {
		return nil
	}
	list := make([]Entry, 0, n)
	for range n {
		list = append(list, r.entry())
	}
	return list
}

func (r *imageReader) entry() Entry {
	h := bloom.Hash{Hi: r.Uint64(), Lo: r.Uint64()}
	e := Entry{Hash: h, Epoch: uint64(r.Uint32()), At: r.Uint64(), Database: r.database()}
	flags := r.Byte()
	r.Require(flags <= 1)
	e.Reserved = flags == 1
	return e
}
