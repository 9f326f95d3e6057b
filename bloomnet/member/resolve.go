package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
)

var (
	errAddress   = errors.New("not a host and a port")
	errNoAddress = errors.New("it has no address")
)

// splitAddress takes host:port apart; the port is a number.
func splitAddress(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	n, invalid := strconv.ParseUint(text, 10, 16)
	if err != nil || invalid != nil || n == 0 || host == "" {
		return "", 0, fmt.Errorf("%q is %w", address, errAddress)
	}
	return host, uint16(n), nil
}

const (
	lookupTimeout = 5 * time.Second // of all hosts, at the same time
	maxAddresses  = 256             // of one host
)

// unknown are the hosts of Join without an address, as of the last attempt.
type unknown struct {
	tally   *tally
	journal *journal
	mu      sync.Mutex // guards hosts
	hosts   map[string]bool
}

// note tells when it changes whether a host has an address.
func (u *unknown) note(host string, err error) {
	u.mu.Lock()
	before := u.hosts[host]
	u.hosts[host] = err != nil
	u.mu.Unlock()
	if err != nil {
		u.tally.add(unresolved)
	}
	switch {
	case err != nil && !before:
		u.journal.tell(slog.LevelWarn, "an address to join cannot be resolved", slog.String("host", host), slog.Any("cause", err))
	case err == nil && before:
		u.journal.tell(slog.LevelInfo, "an address to join is resolved again", slog.String("host", host))
	}
}

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
	if err == nil && len(ips) == 0 {
		err = errNoAddress
	}
	if !errors.Is(err, context.Canceled) {
		c.unknown.note(host, err)
	}
	found := make([]netip.AddrPort, min(len(ips), maxAddresses))
	for i := range found {
		found[i] = netip.AddrPortFrom(ips[i].Unmap(), port)
	}
	return found
}
