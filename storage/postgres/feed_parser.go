package postgres

import (
	"encoding/binary"

	"namegate/storage/feed"
)

// parser reads values in PostgreSQL's binary form, big-endian. After a failure it
// gives zeros.
type parser struct {
	rest   []byte
	failed bool
	// all ends with rest as a string, where text is wanted: the texts share its memory,
	// as one allocation each would cost more than all else.
	all string
}

// zeros are what a failed parser gives; no fixed value is longer.
var zeros [16]byte

func (p *parser) bytes(n int) []byte {
	if n > len(p.rest) {
		p.failed, p.rest = true, nil
		return zeros[:min(n, len(zeros))]
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *parser) err() error {
	if p.failed {
		return errFeedBytes
	}
	return nil
}

func (p *parser) bool() bool     { return p.bytes(1)[0] != 0 }
func (p *parser) int16() int16   { return int16(binary.BigEndian.Uint16(p.bytes(2))) }
func (p *parser) int32() int32   { return int32(binary.BigEndian.Uint32(p.bytes(4))) }
func (p *parser) uint64() uint64 { return binary.BigEndian.Uint64(p.bytes(8)) }
func (p *parser) int64() int64   { return int64(p.uint64()) }

// mark reads the mark of a row.
func (p *parser) mark() feed.Mark { return feed.Mark{Xid: p.uint64(), Began: p.int64()} }

// length is a number of things of so many bytes or more that follow.
func (p *parser) length(size int) int {
	n := int(p.int32())
	if n < 0 || n > len(p.rest)/size {
		p.failed, p.rest = true, nil
		return 0
	}
	return n
}

// text is what bytes gives, as a part of all.
func (p *parser) text(n int) string {
	if n > len(p.rest) {
		p.failed, p.rest = true, nil
		return ""
	}
	at := len(p.all) - len(p.rest)
	p.rest = p.rest[n:]
	return p.all[at : at+n]
}
