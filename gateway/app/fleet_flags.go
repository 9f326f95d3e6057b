package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Validate returns all that is wrong, joined.
func (f Fleet) Validate() error {
	var errs []error
	if f.ReplicaID != "" && !replicaIDs.MatchString(f.ReplicaID) {
		errs = append(errs, errors.New("--replica-id must be "+replicaIDForm))
	}
	for _, address := range f.Join {
		errs = append(errs, checkJoin(address))
	}
	if !f.on() {
		return errors.Join(append(errs, f.validateAlone())...)
	}
	if f.KeyFile != "" && f.Insecure {
		errs = append(errs, errors.New("--gossip-insecure is to do without --gossip-key-file: give one of them"))
	}
	_, unbound := f.bind()
	_, unreachable := f.advertised()
	return errors.Join(append(errs, unbound, unreachable, checkAddress("--transfer", f.Transfer))...)
}

// validateAlone refuses what is of no use to a replica that shares nothing.
func (f Fleet) validateAlone() error {
	var errs []error
	needs := func(flag string, given bool) {
		if given {
			errs = append(errs, fmt.Errorf("%s needs --gossip-key-file, the same on all replicas (or, on a network that nobody else reaches, --gossip-insecure)", flag))
		}
	}
	needs("--join", len(f.Join) > 0)
	needs("--advertise", f.Advertise != "")
	return errors.Join(errs...)
}

func checkJoin(address string) error {
	host, text, err := net.SplitHostPort(address)
	port, invalid := strconv.ParseUint(text, 10, 16)
	if err != nil || invalid != nil || port == 0 || host == "" {
		return fmt.Errorf("--join must be HOST:PORT, not %q", address)
	}
	return nil
}

// advertised is the address that others are told.
func (f Fleet) advertised() (netip.Addr, error) {
	host := f.Advertise
	if host == "" {
		host, _, _ = net.SplitHostPort(f.Gossip)
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.IsUnspecified() || addr.IsMulticast() || addr == broadcast {
		return netip.Addr{}, errors.New("--advertise must be the IP address at which others reach this replica, and it alone, unless --gossip is bound to it")
	}
	return addr.Unmap(), nil
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// bind is the address of Gossip; without a host it is all of the machine's.
func (f Fleet) bind() (netip.AddrPort, error) {
	address := f.Gossip
	if strings.HasPrefix(address, ":") {
		address = netip.IPv4Unspecified().String() + address
	}
	bind, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.AddrPort{}, errors.New("--gossip must be IP:PORT or :PORT")
	}
	return bind, nil
}
