package member

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"namegate/bloomnet/littleendian"
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
	b = littleendian.AppendText(b, m.Replica)
	b = append(b, byte(m.State))
	ip := m.Transfer.Addr().AsSlice()
	b = append(b, byte(len(ip)+2))
	b = append(b, ip...)
	return binary.LittleEndian.AppendUint16(b, m.Transfer.Port())
}

// decodeMeta undoes appendMeta, and accepts nothing else of its own version.
func decodeMeta(b []byte, version uint8) (Member, error) {
	c := littleendian.New(b)
	if string(c.Bytes(len(magic))) != magic {
		return Member{}, errMeta
	}
	m := Member{Version: c.Byte()}
	copy(m.Fingerprint[:], c.Bytes(len(m.Fingerprint)))
	m.Boot = c.Uint64()
	m.Replica = string(c.Text(maxReplica))
	if c.Failed() || checkReplica(m.Replica) != nil {
		return Member{}, errMeta
	}
	if m.Version != version {
		return m, nil
	}
	m.State = State(c.Byte())
	m.Transfer = addressIn(&c)
	if !c.Ended() || !m.State.valid() {
		return Member{}, errMeta
	}
	return m, nil
}

func addressIn(c *littleendian.Reader) netip.AddrPort {
	b := c.Text(16 + 2)
	c.Require(len(b) >= 2)
	if c.Failed() {
		return netip.AddrPort{}
	}
	ip, ok := netip.AddrFromSlice(b[:len(b)-2])
	port := binary.LittleEndian.Uint16(b[len(b)-2:])
	c.Require(ok && !ip.Is4In6())
	return netip.AddrPortFrom(ip, port)
}
