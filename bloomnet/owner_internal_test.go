package bloomnet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

// A planned restart moves nothing: who left on purpose keeps its shards for a while, and who
// is gone without a word does not.
func TestWhoMayOwnShards(t *testing.T) {
	t.Parallel()
	now := time.Now()
	in := func(replica string, state member.State) member.Member {
		return member.Member{Origin: member.Origin{Replica: replica}, State: state}
	}
	view := member.View{
		Members: []member.Member{in("ready", member.Ready), in("joining", member.Joining)},
		Departed: []member.Departure{
			{Member: in("left", member.Draining), At: now.Add(-holdDown + time.Second)},
			{Member: in("dead", member.Ready), At: now.Add(-time.Second)},
			{Member: in("long gone", member.Draining), At: now.Add(-holdDown)},
		},
	}
	require.Equal(t, []string{"ready", "left"}, candidates(&view, now))
	require.Equal(t, []string{"ready"}, there(&view))
}
