package main

import (
	"hash/crc32"
	"strings"
)

// Names are numbered. Each has nameLength letters and digits, of five bits each, and no
// two are the same: multiplying by an odd number is one to one modulo a power of two.
const (
	nameLength = 11
	maxNames   = 1 << (5 * nameLength) / 2 // half of what there are
	alphabet   = "abcdefghijklmnopqrstuvwxyz234567"
	scramble   = 0x9e3779b97f4a7c15
)

// putName writes a name into a buffer of nameLength; an own one for each would be garbage
// that counts as memory.
func putName(buffer []byte, number uint64) {
	bits := number * scramble
	for i := range buffer {
		buffer[i] = alphabet[bits%32]
		bits >>= 5
	}
}

// shards is how many a cluster has.
const shards = 1024

func shardOf(name []byte) int { return int(crc32.ChecksumIEEE(name) % shards) }

// pool holds names to look up, made before the clock starts.
type pool struct {
	text   string // the names, one behind the other
	shards []uint16
}

func newPool(first uint64, n int) *pool {
	var text strings.Builder
	text.Grow(n * nameLength)
	p := &pool{shards: make([]uint16, n)}
	name := make([]byte, nameLength)
	for i := range n {
		putName(name, first+uint64(i))
		text.Write(name)
		p.shards[i] = uint16(shardOf(name))
	}
	p.text = text.String()
	return p
}

func (p *pool) len() int { return len(p.shards) }

func (p *pool) name(i int) string { return p.text[i*nameLength:][:nameLength] }
