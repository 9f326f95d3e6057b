package edge_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/edge"
)

var behindProxies = edge.Addresses{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}

func TestFromWhereARequestComes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from      string
		forwarded []string
		want      string
	}{
		"nobody between":             {"192.0.2.1:5", nil, "192.0.2.1"},
		"a header of the client's":   {"192.0.2.1:5", []string{"203.0.113.9"}, "192.0.2.1"},
		"one proxy":                  {"10.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9"},
		"made up before the last":    {"10.0.0.1:5", []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		"two proxies":                {"10.0.0.1:5", []string{"1.1.1.1, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"several lines":              {"10.0.0.1:5", []string{"1.1.1.1", "203.0.113.9", "10.0.0.2"}, "203.0.113.9"},
		"only proxies":               {"10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"a proxy without a header":   {"10.0.0.1:5", nil, "10.0.0.1"},
		"a port":                     {"10.0.0.1:5", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		"IPv6 in brackets":           {"10.0.0.1:5", []string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv6 with a port":           {"[fd00::1]:5", []string{"[2001:db8::1]:443"}, "2001:db8::1"},
		"mapped":                     {"[::ffff:10.0.0.1]:5", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"a zone":                     {"[fe80::1%eth0]:5", nil, "fe80::1"},
		"junk":                       {"10.0.0.1:5", []string{"203.0.113.9, unknown"}, "10.0.0.1"},
		"junk behind a proxy":        {"10.0.0.1:5", []string{"<script>, 10.0.0.2"}, "10.0.0.2"},
		"an empty item":              {"10.0.0.1:5", []string{"203.0.113.9, , 10.0.0.2"}, "10.0.0.2"},
		"an empty line":              {"10.0.0.1:5", []string{""}, "10.0.0.1"},
		"10 kB of it":                {"10.0.0.1:5", []string{strings.Repeat("1.1.1.1,", 1250) + "203.0.113.9"}, "203.0.113.9"},
		"10 kB of nothing":           {"10.0.0.1:5", []string{strings.Repeat(",", 10<<10)}, "10.0.0.1"},
		"no address, as of a socket": {"@", []string{"203.0.113.9"}, "invalid IP"},
	} {
		request := &http.Request{RemoteAddr: tc.from, Header: http.Header{"X-Forwarded-For": tc.forwarded, "Forwarded": {"for=1.1.1.1"}, "X-Real-Ip": {"1.1.1.1"}}}
		require.Equal(t, tc.want, behindProxies.Of(request).String(), name)
	}
}

func FuzzForwarded(f *testing.F) {
	f.Add("203.0.113.9", "10.0.0.2")
	f.Add("[::1]:80, ", "::ffff:1.2.3.4%x")
	f.Fuzz(func(t *testing.T, first, second string) {
		request := &http.Request{RemoteAddr: "10.0.0.1:5", Header: http.Header{"X-Forwarded-For": {first, second}}}
		client := behindProxies.Of(request)
		require.True(t, client.IsValid())
		require.False(t, client.Is4In6())
		require.Empty(t, client.Zone())
		request.Header["X-Forwarded-For"] = []string{first, second + ",192.0.2.77"}
		require.Equal(t, "192.0.2.77", behindProxies.Of(request).String(), "nothing before it counts")
	})
}
