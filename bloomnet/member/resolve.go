package member

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
)

var errAddress = errors.New("not a host and a port")

// splitAddress takes host:port apart; the port is a number.
func splitAddress(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, errors.Join(errAddress, err)
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || host == "" {
		return "", 0, errAddress
	}
	return host, uint16(n), nil
}

const (
	lookupTimeout = 5 * time.Second // of all hosts, at the same time
	maxAddresses  = 256             // of one host
)

// strangers are addresses at which there may be replicas that are not members: those of
// Join, resolved now, and of replicas that went without having said so. They are in
// order.
func (c *Cluster) strangers(ctx context.Context) []netip.AddrPort {
	found := c.invited(ctx)
	v := c.table.refresh()
	for _, gone := range v.Departed {
		if !gone.Left() {
			found[gone.Gossip] = true
		}
	}
	for _, m := range v.Members {
		delete(found, m.Gossip)
	}
	return slices.SortedFunc(maps.Keys(found), netip.AddrPort.Compare)
}

// invited are the addresses of Join. Its names are looked up at the same time: one that
// gets no answer takes all the time there is.
func (c *Cluster) invited(ctx context.Context) map[netip.AddrPort]bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var lookups sync.WaitGroup
	resolved := make([][]netip.AddrPort, len(c.options.Join))
	for i, address := range c.options.Join {
		lookups.Go(func() { resolved[i] = c.resolve(ctx, address) })
	}
	lookups.Wait()
	found := map[netip.AddrPort]bool{}
	for _, address := range slices.Concat(resolved...) {
		found[address] = true
	}
	return found
}

func (c *Cluster) resolve(ctx context.Context, address string) []netip.AddrPort {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil // refused by Start
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(ip.Unmap(), port)}
	}
	ips, err := c.options.Lookup(ctx, host)
	if err != nil {
		c.tally.add(unresolved)
		c.journal.tell(slog.LevelDebug, "address to join is not resolved",
			slog.String("host", host), slog.Any("error", err))
		return nil
	}
	found := make([]netip.AddrPort, min(len(ips), maxAddresses))
	for i := range found {
		found[i] = netip.AddrPortFrom(ips[i].Unmap(), port)
	}
	return found
}
