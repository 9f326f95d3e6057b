package member_test

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

func startOnLoopback(t *testing.T, id string, change func(*member.Options)) *replica {
	t.Helper()
	return startWith(t, id, func(o *member.Options) { o.Bind = netip.MustParseAddrPort("127.0.0.1:0") }, change)
}

func TestOverSockets(t *testing.T) {
	t.Parallel()
	a := startOnLoopback(t, "a", nil)
	require.NotZero(t, a.Address().Port())
	b := startOnLoopback(t, "b", func(o *member.Options) {
		joining(a)(o)
		o.Bind = netip.MustParseAddrPort("0.0.0.0:0")
		o.Advertise = netip.MustParseAddrPort("127.0.0.1:0")
	})
	require.Equal(t, "127.0.0.1", b.Address().Addr().String())
	b.sees(t, 10*time.Second, 2)
	a.sees(t, 10*time.Second, 2)
	require.NoError(t, b.Broadcast(member.Urgent, 1, "", []byte("news")))
	require.NoError(t, a.SendAll(1, []byte("hint")))
	eventually(t, 10*time.Second, func() bool {
		return a.gossiped.times()["news"] == 1 && b.sent.times()["hint"] == 1 &&
			a.digests.times()["all of b"] > 0 && b.digests.times()["all of a"] > 0
	})
	require.NoError(t, b.Leave(t.Context()))
	a.sees(t, 10*time.Second, 1)
	require.True(t, a.View().Departed[0].Left())
}

// Somebody who accepts and says nothing holds a join for seconds, but not Close.
func TestCloseDoesNotWaitForAJoin(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	a := startOnLoopback(t, "a", func(o *member.Options) { o.Join = []string{silent.Addr().String()} })
	conn, err := silent.Accept()
	require.NoError(t, err)
	defer conn.Close()
	began := time.Now()
	require.NoError(t, a.Close())
	require.Less(t, time.Since(began), 3*time.Second)
}

func TestAPortInUse(t *testing.T) {
	t.Parallel()
	a := startOnLoopback(t, "a", nil)
	o := new(replica).options("b")
	o.Bind = a.Address()
	_, err := member.Start(t.Context(), o)
	require.ErrorContains(t, err, "listen for gossip")
}
