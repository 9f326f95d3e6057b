package member_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	rows := map[string]func(*member.Options){
		"a replica's id":             func(o *member.Options) { o.Replica = "a/b" },
		"a replica's id is 1 to 32":  func(o *member.Options) { o.Replica = strings.Repeat("a", 33) },
		"a cluster's label":          func(o *member.Options) { o.Cluster = "two words" },
		"a gossip key, or":           func(o *member.Options) { o.Keys = nil },
		"not both":                   func(o *member.Options) { o.Insecure = true },
		"gossip key: key size":       func(o *member.Options) { o.Keys = append(o.Keys, []byte("short")) },
		"an address to bind":         func(o *member.Options) { o.Bind = netip.AddrPort{} },
		"an address to advertise":    func(o *member.Options) { o.Bind = netip.MustParseAddrPort("[::]:0") },
		"of the transfer listener":   func(o *member.Options) { o.Transfer = netip.MustParseAddrPort("0.0.0.0:7947") },
		"all four handlers":          func(o *member.Options) { o.MergeDigest = nil },
		"\"replicas\" is not a host": func(o *member.Options) { o.Join = []string{"replicas"} },
		"address to join":            func(o *member.Options) { o.Join = []string{"replicas:0"} },
		"\":7946\" is not a host":    func(o *member.Options) { o.Join = []string{":7946"} },
	}
	for want, change := range rows {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			o := new(replica).options("a")
			o.Bind = netip.MustParseAddrPort("127.0.0.1:0")
			change(&o)
			_, err := member.Start(t.Context(), o)
			require.ErrorContains(t, err, strings.TrimSpace(want))
		})
	}
}

func TestWithoutKeysOnlyByPermission(t *testing.T) {
	t.Parallel()
	a := startOnLoopback(t, "a", func(o *member.Options) { o.Keys, o.Insecure = nil, true })
	require.Len(t, a.View().Members, 1)
}
