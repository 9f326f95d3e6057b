package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"namegate/bloomnet/littleendian"
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
		b = littleendian.AppendText(b, e.tag)
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
	r := manifestReader{littleendian.New(body)}
	if string(r.Bytes(len(magic))) != magic || r.Byte() != version {
		return manifest{}, errDamaged
	}
	m := manifest{save: r.Uint64()}
	m.header = r.Bytes(r.Count(MaxHeader))
	m.entries = r.entries(m.save)
	if !r.Ended() || m.save == 0 {
		return manifest{}, errDamaged
	}
	return m, nil
}

// manifestReader reads the parts of a manifest.
type manifestReader struct{ littleendian.Reader }

// entries reads as many as are said to be there and can be.
func (r *manifestReader) entries(save uint64) []entry {
	n := r.Count(min(MaxParts, len(r.Rest())/minEntry))
	list := make([]entry, 0, n)
	for i := range n {
		e := entry{number: r.Uint32(), save: r.Uint64(), length: r.Count(MaxPart)}
		copy(e.sum[:], r.Bytes(sha256.Size))
		e.tag = r.Text(MaxTag)
		r.Require(0 < e.save && e.save <= save && (i == 0 || e.number > list[i-1].number))
		if r.Failed() {
			return nil
		}
		list = append(list, e)
	}
	return list
}
