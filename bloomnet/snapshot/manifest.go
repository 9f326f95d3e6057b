package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	// MaxHeader is the longest header, MaxPart the longest part and MaxTag the longest
	// tag, in bytes.
	MaxHeader, MaxPart, MaxTag = 1 << 20, 64 << 20, 64
	// MaxParts is the most parts of a snapshot.
	MaxParts = 1 << 16

	magic           = "bnsm"
	version         = 1
	minEntry        = 4 + 8 + 4 + sha256.Size + 1
	longestManifest = len(magic) + 1 + 8 + 4 + MaxHeader + 4 + MaxParts*(minEntry+MaxTag) + sha256.Size
)

// errDamaged says that bytes are no manifest of a version that this release knows, or no
// part that a manifest tells of.
var errDamaged = errors.New("damaged, or of an unknown version")

// manifest is what belongs together.
type manifest struct {
	save    uint64 // the number of the save that wrote it
	header  []byte
	entries []entry // by ascending number
}

// entry tells of a part.
type entry struct {
	number uint32
	save   uint64 // the one that wrote the part's file
	length int
	sum    [sha256.Size]byte
	tag    []byte
}

func (e entry) file() string { return fmt.Sprintf("%d-%d.part", e.number, e.save) }

func (m manifest) encode() []byte {
	b := append([]byte(magic), version)
	b = binary.LittleEndian.AppendUint64(b, m.save)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.header)))
	b = append(b, m.header...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.entries)))
	for _, e := range m.entries {
		b = binary.LittleEndian.AppendUint32(b, e.number)
		b = binary.LittleEndian.AppendUint64(b, e.save)
		b = binary.LittleEndian.AppendUint32(b, uint32(e.length))
		b = append(b, e.sum[:]...)
		b = append(append(b, byte(len(e.tag))), e.tag...)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// decode undoes encode, and accepts nothing else.
func decode(b []byte) (manifest, error) {
	if len(b) < sha256.Size {
		return manifest{}, errDamaged
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if is := sha256.Sum256(body); !bytes.Equal(is[:], sum) {
		return manifest{}, errDamaged
	}
	r := reader{rest: body}
	if string(r.take(len(magic))) != magic || r.byte() != version {
		return manifest{}, errDamaged
	}
	m := manifest{save: r.uint64()}
	m.header = r.take(r.count(MaxHeader))
	m.entries = r.entries(m.save)
	if r.failed || m.save == 0 || len(r.rest) > 0 {
		return manifest{}, errDamaged
	}
	return m, nil
}

// reader reads the parts of a manifest. After a failure it gives zeros.
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

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number that is at most so much.
func (r *reader) count(most int) int {
	n := r.uint32()
	if uint64(n) > uint64(most) {
		r.failed = true
		return 0
	}
	return int(n)
}

// entries reads as many as are said to be there and can be.
func (r *reader) entries(save uint64) []entry {
	n := r.count(min(MaxParts, len(r.rest)/minEntry))
	list := make([]entry, 0, n)
	for i := range n {
		e := entry{number: r.uint32(), save: r.uint64(), length: r.count(MaxPart)}
		copy(e.sum[:], r.take(sha256.Size))
		tag := int(r.byte())
		e.tag = r.take(tag)
		if tag > MaxTag || e.save == 0 || e.save > save || i > 0 && e.number <= list[i-1].number {
			r.failed = true
		}
		if r.failed {
			return nil
		}
		list = append(list, e)
	}
	return list
}
