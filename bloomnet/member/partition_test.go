package member_test

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

// memberlist forgets the dead after 30 s. Nobody has an address to join any more, so
// that only what is remembered of the departed can heal it.
func TestALongPartitionHeals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		var gone atomic.Bool
		first := start(t, network, "a", nil)
		lookup := func(context.Context, string) ([]netip.Addr, error) {
			if gone.Load() {
				return nil, errors.New("no such host")
			}
			return []netip.Addr{first.Address().Addr()}, nil
		}
		all := []*replica{first}
		for _, id := range []string{"b", "c", "d"} {
			all = append(all, start(t, network, id, func(o *member.Options) {
				o.Join, o.Lookup = []string{"replicas:7946"}, lookup
			}))
		}
		for _, r := range all {
			r.sees(t, 20*time.Second, 4)
		}
		gone.Store(true)

		network.Part([]netip.AddrPort{all[0].Address(), all[1].Address()})
		for _, r := range all {
			r.sees(t, 2*time.Minute, 2)
		}
		pass(10 * time.Minute)
		network.Part()
		for _, r := range all {
			r.sees(t, 40*time.Second, 4)
			require.Empty(t, r.View().Departed)
		}
		require.NotZero(t, all[2].Stats().Joins.Unresolved)
	})
}

func TestNamesToJoinAreResolvedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		var known atomic.Pointer[[]netip.Addr]
		known.Store(new([]netip.Addr))
		lonely := start(t, network, "b", func(o *member.Options) {
			o.Join = []string{"replicas.example:7946"}
			o.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
				require.Equal(t, "replicas.example", host)
				return *known.Load(), nil
			}
		})
		pass(time.Minute)
		require.Len(t, lonely.View().Members, 1)
		a := start(t, network, "a", nil)
		known.Store(&[]netip.Addr{a.Address().Addr(), lonely.Address().Addr()})
		lonely.sees(t, 20*time.Second, 2)
	})
}

// A resolver that does not answer for one name keeps no other from being joined.
func TestNamesThatHangHideNoOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		b := start(t, network, "b", func(o *member.Options) {
			o.Join = []string{"hangs:7946", "replicas:7946"}
			o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
				if host == "hangs" {
					<-ctx.Done()
				}
				return []netip.Addr{a.Address().Addr()}, ctx.Err()
			}
		})
		b.sees(t, 20*time.Second, 2)
	})
}

func TestDeparturesAreForgottenAtLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := member.Member{Origin: member.Origin{Replica: "a"}, Version: 1}
		table := member.NewTable(own)
		for i := range member.MaxDeparture + 1 {
			table.ComeAndGo(member.Someone(i, own))
			pass(time.Second)
		}
		require.Len(t, table.Refresh().Departed, member.MaxDeparture)
		require.Equal(t, "someone-1", table.Refresh().Departed[0].Replica)
		pass(6*time.Hour - 30*time.Second)
		left := table.Refresh().Departed
		require.NotEmpty(t, left)
		require.Less(t, len(left), member.MaxDeparture)
		pass(time.Minute)
		require.Empty(t, table.Refresh().Departed)
	})
}

// Packets blocked by a firewall: the members stay, by streams, and digests go on.
func TestWithoutPackets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		all := startMany(t, network, 3)
		network.SetFaults(membertest.Faults{Blocked: true})
		before := all[1].Stats().Received.Digest
		require.NoError(t, all[0].SendAll(1, []byte("lost")))
		for range 300 {
			pass(time.Second)
			require.Len(t, all[1].View().Members, 3)
		}
		require.Greater(t, all[1].Stats().Received.Digest, before)
		require.Empty(t, all[1].sent.times())
	})
}

func TestStrangersAreKeptOut(t *testing.T) {
	t.Parallel()
	others := map[string]func(*member.Options){
		"another key": func(o *member.Options) { o.Keys = [][]byte{[]byte("fedcba9876543210fedcba9876543210")} },
		"no key":      func(o *member.Options) { o.Keys, o.Insecure = nil, true },
		"label":       func(o *member.Options) { o.Cluster = "other" },
	}
	for name, other := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork(t)
				all := startMany(t, network, 2)
				stranger := start(t, network, "z", func(o *member.Options) {
					joining(all...)(o)
					other(o)
				})
				pass(2 * time.Minute)
				require.Len(t, stranger.View().Members, 1)
				require.Len(t, all[0].View().Members, 2)
				require.NotZero(t, stranger.Stats().Joins.Failed)
				require.Zero(t, stranger.Stats().Joins.Done)
				require.NotContains(t, all[0].digests.times(), "all of z")
				require.Empty(t, stranger.digests.times())
			})
		})
	}
}

// A new key is added, then used, then the old one taken away.
func TestKeysAreReplacedInSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		newer := []byte("fedcba9876543210fedcba9876543210")
		old := start(t, network, "a", func(o *member.Options) { o.Keys = [][]byte{key, newer} })
		start(t, network, "b", func(o *member.Options) {
			o.Keys = [][]byte{newer, key}
			joining(old)(o)
		})
		old.sees(t, 5*time.Second, 2)
	})
}
