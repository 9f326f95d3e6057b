package edge

import (
	"net/http"
	"net/netip"
	"strings"
)

// Addresses tells from where requests come. Its zero value trusts no proxy.
type Addresses struct {
	// Trusted are the networks of the proxies before this replica, each of which appends
	// the address that it was called from to X-Forwarded-For.
	Trusted []netip.Prefix
}

// Of is the address of the client. A request that does not come from a trusted proxy is
// its sender's own, whatever its header says. Otherwise the addresses that proxies appended
// are read from the last on, and the first that is no trusted proxy's is the client's; what
// comes before it, the client may have made up. Where something is no address, the last one
// that was counts. It is the zero Addr when the connection has none, as a unix socket.
//
// Forwarded (RFC 7239) and other headers count for nothing: a proxy that appends to one of
// them lets pass what a client writes into the other.
func (a Addresses) Of(r *http.Request) netip.Addr {
	sender, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := plain(sender.Addr())
	lines := r.Header["X-Forwarded-For"]
	for n := len(lines) - 1; n >= 0; n-- {
		for left, item := lines[n], ""; left != ""; {
			if !a.trusts(client) {
				return client
			}
			left, item = lastOf(left)
			before, ok := parseForwarded(item)
			if !ok {
				return client
			}
			client = before
		}
	}
	return client
}

func (a Addresses) trusts(address netip.Addr) bool {
	for _, network := range a.Trusted {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// lastOf splits the last item off a list.
func lastOf(list string) (rest, item string) {
	if comma := strings.LastIndexByte(list, ','); comma >= 0 {
		return list[:comma], strings.TrimSpace(list[comma+1:])
	}
	return "", strings.TrimSpace(list)
}

// parseForwarded reads an address, which some proxies write with a port.
func parseForwarded(item string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(strings.Trim(item, "[]")); err == nil {
		return plain(address), true
	}
	address, err := netip.ParseAddrPort(item)
	return plain(address.Addr()), err == nil
}

// plain is an address without a zone, and an IPv4 one that is mapped into IPv6 as such.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
