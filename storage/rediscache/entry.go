package rediscache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
	"unicode/utf8"

	"namegate/storage"
	"namegate/storage/identifier"
)

// An entry is stored as: format (1 byte), kind (1), generation (16), beat (8), epoch (8)
// and ID (8) of its version, AsOf (8, µs of Unix time); where taken also state (1), blocked
// (1), ExpireAt (8, µs; 0 for none), canonical form (up to 255); last the CRC-32C (4) of
// the identifier's key and all before. Big-endian. Scripts read kind, generation and version.
const (
	format     = 1
	kindTaken  = 't'
	kindFree   = 'f'
	fixedSize  = 1 + 1 + 16 + 8 + 8 + 8 + 8
	takenSize  = fixedSize + 1 + 1 + 8
	sumSize    = 4
	maxName    = 255
	headerSize = 2
)

var (
	errEntry   = errors.New("not an entry of the identifier")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// generation tells what was cached before invalidations may have been lost from what was after.
type generation [16]byte

// entry is a standing with what says how long it counts.
type entry struct {
	storage.Standing
	generation generation
	beat       uint64 // the newest that its filler knew before the read was sent
}

func appendVersion(b []byte, v storage.Version) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(v.Epoch))
	return binary.BigEndian.AppendUint64(b, uint64(v.ID))
}

// encode fails where a canonical form is longer than any that a parser gives.
func (e entry) encode(key string) ([]byte, error) {
	b := make([]byte, 0, takenSize+len(key)+sumSize)
	kind := byte(kindFree)
	if e.Held != nil {
		kind = kindTaken
	}
	b = append(b, format, kind)
	b = append(b, e.generation[:]...)
	b = binary.BigEndian.AppendUint64(b, e.beat)
	b = appendVersion(b, e.Version)
	b = binary.BigEndian.AppendUint64(b, uint64(e.AsOf.UnixMicro()))
	if h := e.Held; h != nil {
		canonical := h.Identifier.Canonical()
		if len(canonical) > maxName || h.State < storage.Reserved || h.State > storage.Released {
			return nil, errEntry
		}
		b = append(b, byte(h.State), flag(h.Blocked))
		b = binary.BigEndian.AppendUint64(b, micros(h.ExpireAt))
		b = append(b, canonical...)
	}
	return appendSum(key, b), nil
}

// decode accepts nothing but what encode gives for the same key. What is held has no
// owner, grant or time of begin: they are not cached.
func decode(id identifier.Identifier, b []byte) (e entry, err error) {
	end := len(b) - sumSize
	if end < fixedSize || b[0] != format || binary.BigEndian.Uint32(b[end:]) != checksum(id.Key(), b[:end]) {
		return entry{}, errEntry
	}
	kind, b := b[1], b[:end]
	b = b[headerSize:]
	b = b[copy(e.generation[:], b):]
	e.beat, b = binary.BigEndian.Uint64(b), b[8:]
	e.Version.Epoch, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	e.Version.ID, b = int64(binary.BigEndian.Uint64(b)), b[8:]
	e.AsOf, b = time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC(), b[8:]
	switch kind {
	case kindFree:
		if len(b) > 0 {
			err = errEntry
		}
	case kindTaken:
		e.Held, err = decodeHolding(id, b)
	default:
		err = errEntry
	}
	return e, err
}

func decodeHolding(id identifier.Identifier, b []byte) (*storage.Holding, error) {
	if len(b) < takenSize-fixedSize || len(b) > takenSize-fixedSize+maxName ||
		b[0] < byte(storage.Reserved) || b[0] > byte(storage.Released) || b[1] > 1 {
		return nil, errEntry
	}
	h := &storage.Holding{State: storage.State(b[0]), Blocked: b[1] == 1}
	if at := binary.BigEndian.Uint64(b[2:]); at != 0 {
		h.ExpireAt = time.UnixMicro(int64(at)).UTC()
	}
	canonical := string(b[10:])
	if !utf8.ValidString(canonical) {
		return nil, errEntry
	}
	h.Identifier = identifier.Stored(id.Kind(), id.Key(), canonical, "")
	return h, nil
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func micros(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixMicro())
}

func appendSum(key string, b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, checksum(key, b))
}

func checksum(key string, b []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, b)
}
