package ratelimit

import (
	"encoding/binary"
	"net/netip"
)

// key names one window of a client, or of its neighbourhood.
type key struct {
	network uint64 // an IPv4 address, or the first half of an IPv6 one, masked
	kind    kind
	bucket  uint8
}

type kind uint8

const (
	address4 kind = iota // an IPv4 address
	block4               // a /24
	subnet6              // an IPv6 /64
	site6                // a /48
)

// keysOf are those of a client and of its neighbourhood, without a bucket. A mapped IPv4
// address is an IPv4 address, and a zone says nothing. No address at all is one client.
func keysOf(client netip.Addr) (own, wide key) {
	client = client.Unmap()
	if client.Is6() {
		a := client.As16()
		n := binary.BigEndian.Uint64(a[:8])
		return key{network: n, kind: subnet6}, key{network: n &^ 0xffff, kind: site6}
	}
	var n uint64
	if client.Is4() {
		a := client.As4()
		n = uint64(binary.BigEndian.Uint32(a[:]))
	}
	return key{network: n, kind: address4}, key{network: n &^ 0xff, kind: block4}
}

func (k key) of(bucket int) key {
	k.bucket = uint8(bucket)
	return k
}
