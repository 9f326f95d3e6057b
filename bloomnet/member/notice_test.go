package member_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

// Both sides are told what is most likely wrong.
func TestAnotherKeyIsSaid(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*member.Options){
		"another": func(o *member.Options) { o.Keys = [][]byte{bytes.Repeat([]byte("x"), 32)} },
		"none":    func(o *member.Options) { o.Keys, o.Insecure = nil, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork(t)
				a := start(t, network, "a", nil)
				b := start(t, network, "b", func(o *member.Options) {
					joining(a)(o)
					change(o)
				})
				pass(50 * time.Second)
				require.Equal(t, 1, a.log.Count("cannot be decrypted"), a.log.String())
				require.Equal(t, 1, b.log.Count("no other replica can be reached"))
				require.Positive(t, b.log.Count("cannot be decrypted"), b.log.String())
			})
		})
	}
}

// A name that cannot be resolved is said once, and again after it could be.
func TestNamesThatCannotBeResolvedAreSaid(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"an error": errors.New("no such host"), "no address": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var known atomic.Bool
				a := start(t, newNetwork(t), "a", func(o *member.Options) {
					o.Join = []string{"replicas:7946"}
					o.Lookup = func(context.Context, string) ([]netip.Addr, error) {
						if known.Load() {
							return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
						}
						return nil, failure
					}
				})
				for round := range 3 {
					known.Store(false)
					pass(2 * time.Minute)
					require.Equal(t, round+1, a.log.Count("an address to join cannot be resolved"))
					known.Store(true)
					pass(2 * time.Minute)
					require.Equal(t, round+1, a.log.Count("an address to join is resolved again"))
				}
				require.Equal(t, 3, a.log.Count("host=replicas cause="))
			})
		})
	}
}

// refused is a network that takes no datagrams.
type refused struct{ *membertest.Transport }

func (refused) WriteToAddress([]byte, memberlist.Address) (time.Time, error) {
	return time.Time{}, errors.New("operation not permitted")
}

// What goes on for ever is told once a minute, with how often it was.
func TestDatagramsThatAreRefusedAreSaidOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		b := start(t, network, "b", func(o *member.Options) {
			joining(a)(o)
			o.Transport = refused{network.Transport()}
		})
		pass(5*time.Minute + time.Second)
		told := b.log.Count("cannot be sent: does something on this machine refuse UDP?")
		require.LessOrEqual(t, told, 6)
		require.Greater(t, told, 3)
		require.Equal(t, told-1, b.log.Count("more="))
		require.Less(t, b.log.Count("level=WARN")+b.log.Count("level=INFO"), 20, b.log.String())
	})
}

// The last of a cluster has nobody to say goodbye to.
func TestALeaveThatNobodyHears(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		all := startMany(t, network, 2)
		network.Part([]netip.AddrPort{all[0].Address()})
		require.NoError(t, all[1].Leave(t.Context()))
	})
}
