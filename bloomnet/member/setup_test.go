package member_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	key         = []byte("0123456789abcdef0123456789abcdef")
	fingerprint = member.Fingerprint{1, 2, 3, 4, 5, 6, 7, 8}
)

// replica is a member with what it was told.
type replica struct {
	*member.Cluster
	gossiped, sent, digests mailbox
	log                     membertest.Log
}

// mailbox keeps the messages that a handler got, as text.
type mailbox struct {
	mu   sync.Mutex
	list []member.Message
}

func (m *mailbox) handle(_ context.Context, message member.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, message)
}

// times is how often each payload came.
func (m *mailbox) times() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	times := map[string]int{}
	for _, message := range m.list {
		times[string(message.Payload)]++
	}
	return times
}

// options are of a replica that joins no other and takes whatever it is told.
func (r *replica) options(id string) member.Options {
	return member.Options{
		Replica: id, Boot: 1, Cluster: "test", Version: 1, Fingerprint: fingerprint,
		Keys:     [][]byte{key},
		Transfer: netip.MustParseAddrPort("10.1.0.1:7947"),
		Gossiped: r.gossiped.handle, Sent: r.sent.handle, MergeDigest: r.digests.handle,
		Digest: func() []byte { return []byte("all of " + id) },
		Log:    slog.New(slog.NewTextHandler(&r.log, nil)),
	}
}

// newNetwork is for one bubble, whose goroutines it lets end.
func newNetwork(t *testing.T) *membertest.Network {
	t.Cleanup(func() { pass(membertest.Linger) })
	return membertest.New(1)
}

// start starts a replica on a network; it is closed when the test ends.
func start(t *testing.T, n *membertest.Network, id string, change func(*member.Options)) *replica {
	t.Helper()
	return startWith(t, id, func(o *member.Options) { o.Transport = n.Transport() }, change)
}

// startWith starts a replica with changes of its options, of which the last may be nil.
func startWith(t *testing.T, id string, carried, change func(*member.Options)) *replica {
	t.Helper()
	r := new(replica)
	o := r.options(id)
	carried(&o)
	if change != nil {
		change(&o)
	}
	var err error
	r.Cluster, err = member.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// joining makes a replica join those at the addresses.
func joining(others ...*replica) func(*member.Options) {
	return func(o *member.Options) {
		for _, other := range others {
			o.Join = append(o.Join, other.Address().String())
		}
	}
}

// startMany starts n replicas, a, b, c and so on, that know each other.
func startMany(t *testing.T, network *membertest.Network, n int) []*replica {
	t.Helper()
	var all []*replica
	for i := range n {
		all = append(all, start(t, network, string(rune('a'+i)), joining(all[:min(i, 1)]...)))
	}
	for _, r := range all {
		r.sees(t, 20*time.Second, n)
	}
	return all
}

// sees waits until so many are members.
func (r *replica) sees(t *testing.T, within time.Duration, n int) {
	t.Helper()
	eventually(t, within, func() bool { return len(r.View().Members) == n })
}

func eventually(t *testing.T, within time.Duration, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, within, 50*time.Millisecond)
}

// pass lets time pass.
func pass(d time.Duration) { <-time.After(d) }

// find is the member of an id.
func (r *replica) find(id string) (member.Member, bool) {
	for _, m := range r.View().Members {
		if m.Replica == id {
			return m, true
		}
	}
	return member.Member{}, false
}

func text(i int) []byte { return fmt.Appendf(nil, "message %05d", i) }
