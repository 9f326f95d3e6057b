package bloomnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

// alias is a database under another name.
type alias struct {
	*fakeDatabase
	name string
}

func (a alias) Name() string { return a.name }

// Operators of replicas may call databases as they like, in any order.
func TestNamesOfDatabasesAreNoMatter(t *testing.T) {
	for name, names := range map[string][2]string{"other names": {"left", "right"}, "swapped names": {"b", "a"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *wires, a *fakeDatabase) {
				b := newFakeDatabase("b")
				for i := range shards {
					[]*fakeDatabase{a, b}[i%2].owned[i] = 0
				}
				a.put(true, "ada") // of an odd shard
				b.put(false, "bob")
				first := w.join(t, "first", fingerprint, nil, a, b)
				pass(gathered)
				copies := a.counts() + b.counts()
				second := w.join(t, "second", fingerprint, []replica{first}, alias{a, names[0]}, alias{b, names[1]})
				third := w.join(t, "third", fingerprint, []replica{first}, alias{b, names[0]}, alias{a, names[1]})
				pass(gathered)
				require.Equal(t, copies, a.counts()+b.counts())
				for _, r := range []replica{second, third} {
					require.EqualValues(t, shards, r.Stats().Pulled.Load())
					requireVouched(t, r.Net)
					require.Equal(t, shard.Maybe, standing(r.Net, "ada"))
					require.Equal(t, shard.Maybe, standing(r.Net, "bob"))
				}
			})
		})
	}
}
