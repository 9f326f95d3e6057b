package bloomnet_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member/membertest"
	"namegate/bloomnet/shard"
)

// authorityBack is when every shard is vouched for again after the last fault.
const authorityBack = 25 * time.Second

// The positions are void while a replica that has left on purpose still keeps its shards:
// nobody can give an image of them, so those that are there build them.
func TestAReplicaThatLeftKeepsNoShardFromBeingBuilt(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		d.put(false, "ada")
		fleet := three(t, w, d)
		pass(2 * time.Minute) // all are ready, and own shards
		stop(fleet[0].Net)
		d.restore()
		pass(authorityBack)
		for _, r := range fleet[1:] {
			requireVouched(t, r.Net)
			require.Equal(t, shard.Maybe, standing(r.Net, "ada"))
		}
	})
}

// stranger is a database that others do not recognise.
type stranger struct{ *fakeDatabase }

func (stranger) Identity(string) string { return "another" }

// Where the images of others are of no use, it is said once, and a replica builds for
// itself in the end, whoever owns the shards.
func TestImagesOfNoUseAreNotWaitedForForEver(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		var log membertest.Log
		first := w.join(t, "first", fingerprint, nil, d)
		pass(gathered)
		w.log = log.Logger()
		second := w.join(t, "second", fingerprint, []replica{first}, stranger{d})
		pass(2 * time.Minute)
		requireVouched(t, second.Net)
		require.Equal(t, 1, log.Count("images cannot be had of another replica"))
		require.Equal(t, 1, log.Count("database that is not known here"))
	})
}

// The same where no stream can be made; and the end of a replica is no fault of the others.
func TestWithoutTransfersEachBuildsInTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		var log membertest.Log
		first := w.join(t, "first", fingerprint, nil, d)
		pass(gathered)
		w.cutOff(true)
		w.log = log.Logger()
		second := w.join(t, "second", fingerprint, []replica{first}, d)
		pass(2 * time.Minute)
		requireVouched(t, second.Net)
		require.Equal(t, 1, log.Count("images cannot be had of another replica"))
		for i := range 300 {
			d.put(false, fmt.Sprintf("name%d.0", i))
		}
		pass(2 * time.Second) // there are newer bases to be had
		before := log.Count("level=WARN") + log.Count("level=ERROR")
		stop(second.Net)
		require.Equal(t, before, log.Count("level=WARN")+log.Count("level=ERROR"), log.String())
	})
}
