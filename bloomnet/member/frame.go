package member

import (
	"encoding/binary"
	"hash/crc32"

	"namegate/bloomnet/littleendian"
)

// A message is: magic (2 bytes), wire version (1), plane (1), kind (1), fingerprint (8),
// boot (8), sequence number (8), replica, key, payload, CRC-32C of all before (4).
// Replica and key have their length in a byte before them; little-endian.
const (
	maxKey = 32
	// frameSize is the most that a message has beside its payload.
	frameSize = 2 + 1 + 1 + 1 + 8 + 8 + 8 + 1 + maxReplica + 1 + maxKey + 4
)

// MaxPayload of Broadcast and SendAll, in bytes: a message fits one packet of
// memberlist's (1,400 bytes), whatever replica, key and label are.
const MaxPayload = 1100

// MaxDigest is the most that a digest may have, in bytes.
const MaxDigest = 64 << 10

// plane says which way a message goes. Those of broadcasts are the classes.
type plane byte

const (
	planeDirect plane = 0x10
	planeDigest plane = 0x20
)

func (p plane) valid() bool {
	return p == planeDirect || p == planeDigest || Class(p).valid()
}

// limit is the most bytes that a payload may have.
func (p plane) limit() int {
	if p == planeDigest {
		return MaxDigest
	}
	return MaxPayload
}

// sequences is how many sequences of numbers an origin has: one of a plane that is
// faster than another would push the other's out of the windows.
const sequences = 3

func (p plane) sequence() int {
	switch p {
	case planeDirect:
		return 1
	case planeDigest:
		return 2
	}
	return 0
}

// frame is a message with all that is around it.
type frame struct {
	version     uint8
	plane       plane
	kind        byte
	fingerprint Fingerprint
	origin      Origin
	sequence    uint64 // from 1
	key         []byte
	payload     []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (f *frame) encode() []byte {
	b := make([]byte, 0, frameSize+len(f.payload))
	b = append(b, magic...)
	b = append(b, f.version, byte(f.plane), f.kind)
	b = append(b, f.fingerprint[:]...)
	b = binary.LittleEndian.AppendUint64(b, f.origin.Boot)
	b = binary.LittleEndian.AppendUint64(b, f.sequence)
	b = littleendian.AppendText(b, f.origin.Replica)
	b = littleendian.AppendText(b, f.key)
	b = append(b, f.payload...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parse undoes encode. Key and payload are parts of b. Of another wire version nothing
// but that is known.
func parse(b []byte, version uint8) (frame, counter) {
	if len(b) < len(magic)+1 || string(b[:len(magic)]) != magic {
		return frame{}, malformed
	}
	if b[len(magic)] != version {
		return frame{}, foreignVersion
	}
	if len(b) > frameSize+MaxDigest {
		return frame{}, tooLarge
	}
	if len(b) < 4 || crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return frame{}, corrupted
	}
	c := littleendian.New(b[len(magic)+1 : len(b)-4])
	f := frame{version: version, plane: plane(c.Byte()), kind: c.Byte()}
	copy(f.fingerprint[:], c.Bytes(len(f.fingerprint)))
	f.origin.Boot, f.sequence = c.Uint64(), c.Uint64()
	f.origin.Replica = string(c.Text(maxReplica))
	f.key = c.Text(maxKey)
	f.payload = c.Rest()
	return f, f.check(c.Failed())
}

// payloadOf is the payload within a copy of the message.
func (f *frame) payloadOf(message []byte) []byte {
	end := len(message) - crc32.Size
	return message[end-len(f.payload) : end]
}

func (f *frame) check(failed bool) counter {
	switch {
	case failed || !f.plane.valid() || f.sequence == 0 || checkReplica(f.origin.Replica) != nil:
		return malformed
	case len(f.payload) > f.plane.limit():
		return tooLarge
	}
	return accepted
}
