package hotname

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"

	"namegate/storage"
	"namegate/storage/identifier"
)

// A payload is: format (1 byte), state (1; 0 for a release), blocked (1), epoch (8) and ID
// (8) of a version, the key's length (1) and the key. An entry has also the life that is
// left (4, ms), AsOf and ExpireAt (8 each, µs of Unix time; ExpireAt 0 for none), and the
// canonical form where it is not the key. Big-endian; so less than 600 bytes. What carries
// payloads keeps damaged ones off.
const (
	format     = 1
	headSize   = 1 + 1 + 1 + 8 + 8 + 1
	lifeSize   = 4 + 8 + 8
	maxName    = 255
	maxPayload = headSize + maxName + lifeSize + maxName
)

var errPayload = errors.New("not a message of a deny list")

// message is a payload to send, and under which key.
type message struct {
	key     string
	payload []byte
}

// broadcastKey is the same for all messages of a name from here.
func broadcastKey(hash uint64) string { return strconv.FormatUint(hash, 16) }

func appendHead(state storage.State, blocked bool, v storage.Version, key string) []byte {
	b := make([]byte, 0, headSize+len(key)+lifeSize)
	b = append(b, format, byte(state), 0)
	if blocked {
		b[2] = 1
	}
	b = binary.BigEndian.AppendUint64(b, uint64(v.Epoch))
	b = binary.BigEndian.AppendUint64(b, uint64(v.ID))
	return append(append(b, byte(len(key))), key...)
}

func encodeRelease(key string, v storage.Version) []byte { return appendHead(0, false, v, key) }

// encode fails for an entry that would be over on its arrival, and for a name that is
// longer than any that a parser gives.
func (e *entry) encode(now time.Duration) (payload []byte, ok bool) {
	h := e.standing.Held
	left := (e.end - now - travel).Milliseconds()
	key, canonical := h.Identifier.Key(), h.Identifier.Canonical()
	if left <= 0 || len(key) > maxName || len(canonical) > maxName {
		return nil, false
	}
	b := appendHead(h.State, h.Blocked, e.standing.Version, key)
	b = binary.BigEndian.AppendUint32(b, uint32(left))
	b = binary.BigEndian.AppendUint64(b, uint64(e.standing.AsOf.UnixMicro()))
	end := uint64(0)
	if !h.ExpireAt.IsZero() {
		end = uint64(h.ExpireAt.UnixMicro())
	}
	b = binary.BigEndian.AppendUint64(b, end)
	if canonical != key {
		b = append(b, canonical...)
	}
	return b, true
}

// heard is what a payload says: of a release, the key and the version.
type heard struct {
	standing storage.Standing // Held is nil for a release
	key      string
	left     time.Duration
}

// decode accepts nothing but what a replica of this release gives.
func decode(b []byte) (h heard, err error) {
	if len(b) < headSize || len(b) > maxPayload || b[0] != format || b[1] > byte(storage.Released) || b[2] > 1 {
		return heard{}, errPayload
	}
	state, blocked := storage.State(b[1]), b[2] == 1
	h.standing.Version.Epoch = int64(binary.BigEndian.Uint64(b[3:]))
	h.standing.Version.ID = int64(binary.BigEndian.Uint64(b[11:]))
	length, rest := int(b[headSize-1]), b[headSize:]
	if h.standing.Version.Epoch < 0 || h.standing.Version.ID <= 0 || length == 0 || length > len(rest) || !utf8.Valid(rest[:length]) {
		return heard{}, errPayload
	}
	h.key, rest = string(rest[:length]), rest[length:]
	if state != 0 {
		return h, h.decodeEntry(state, blocked, rest)
	}
	if blocked || len(rest) > 0 {
		err = errPayload
	}
	return h, err
}

func (h *heard) decodeEntry(state storage.State, blocked bool, b []byte) error {
	if len(b) < lifeSize || len(b) > lifeSize+maxName || !utf8.Valid(b[lifeSize:]) || state == storage.Released && !blocked {
		return errPayload
	}
	canonical := string(b[lifeSize:])
	h.left = time.Duration(binary.BigEndian.Uint32(b)) * time.Millisecond
	if h.left <= 0 || h.left > MaxLife || canonical == h.key {
		return errPayload
	}
	if canonical == "" {
		canonical = h.key
	}
	h.standing.AsOf = time.UnixMicro(int64(binary.BigEndian.Uint64(b[4:]))).UTC()
	h.standing.Held = &storage.Holding{
		Identifier: identifier.Stored(identifier.Username, h.key, canonical, ""), State: state, Blocked: blocked,
	}
	if end := int64(binary.BigEndian.Uint64(b[12:])); end != 0 {
		h.standing.Held.ExpireAt = time.UnixMicro(end).UTC()
	}
	return nil
}
