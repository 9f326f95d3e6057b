package member

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// A node's meta data is: magic (2 bytes), wire version (1), fingerprint (8), boot (8),
// replica; then state (1) and the transfer listener's address, 4 or 16 bytes and a port
// of 2. Replica and address have their length in a byte before them; little-endian.
// Up to the replica it is the same in all versions, so that a replica of another one can
// be named in the log.
const magic = "nm"

// errMeta refuses a node whose meta data this package did not make.
var errMeta = errors.New("not the meta data of a replica")

func appendMeta(b []byte, m Member) []byte {
	b = append(b, magic...)
	b = append(b, m.Version)
	b = append(b, m.Fingerprint[:]...)
	b = binary.LittleEndian.AppendUint64(b, m.Boot)
	b = appendText(b, m.Replica)
	b = append(b, byte(m.State))
	ip := m.Transfer.Addr().AsSlice()
	b = append(b, byte(len(ip)+2))
	b = append(b, ip...)
	return binary.LittleEndian.AppendUint16(b, m.Transfer.Port())
}

// decodeMeta undoes appendMeta, and accepts nothing else of its own version.
func decodeMeta(b []byte, version uint8) (Member, error) {
	c := cursor{rest: b}
	if string(c.bytes(len(magic))) != magic {
		return Member{}, errMeta
	}
	m := Member{Version: c.byte()}
	copy(m.Fingerprint[:], c.bytes(len(m.Fingerprint)))
	m.Boot = c.uint64()
	m.Replica = string(c.text(maxReplica))
	if c.failed || checkReplica(m.Replica) != nil {
		return Member{}, errMeta
	}
	if m.Version != version {
		return m, nil
	}
	m.State = State(c.byte())
	m.Transfer = c.address()
	if c.failed || len(c.rest) > 0 || !m.State.valid() {
		return Member{}, errMeta
	}
	return m, nil
}

func (c *cursor) address() netip.AddrPort {
	b := c.text(16 + 2)
	if len(b) < 2 {
		c.failed = true
		return netip.AddrPort{}
	}
	ip, ok := netip.AddrFromSlice(b[:len(b)-2])
	port := binary.LittleEndian.Uint16(b[len(b)-2:])
	c.failed = c.failed || !ok || ip.Is4In6()
	return netip.AddrPortFrom(ip, port)
}
