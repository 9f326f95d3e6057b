package member

import (
	"slices"
	"strings"

	"github.com/hashicorp/memberlist"
)

// View is who is there and who is not any more, at one moment. It is shared and must
// not be changed.
type View struct {
	// Members are the replicas that are there, this one too, in the order of their ids;
	// of each the newest start.
	Members []Member
	// Departed are those that went in the last 6 hours and did not come back; the first to
	// go is the first. At most 64.
	Departed []Departure

	peers []memberlist.Node // of the members that this replica shares data with
}

// View may be called at any time, and costs nothing.
func (c *Cluster) View() *View { return c.table.view.Load() }

// Changed gets a value after the View changed, however often it did; it has one reader.
func (c *Cluster) Changed() <-chan struct{} { return c.table.changed }

// publish makes the view anew, of the newest start of each replica, and signals it.
func (t *table) publish() {
	newest := map[string]entry{}
	for _, e := range t.nodes {
		if e.Boot >= newest[e.Replica].Boot {
			newest[e.Replica] = e
		}
	}
	v := &View{Departed: t.departed.sorted()}
	for _, e := range newest {
		v.Members = append(v.Members, e.Member)
		if !e.Foreign && e.Replica != t.own.Replica {
			v.peers = append(v.peers, e.node)
		}
	}
	slices.SortFunc(v.Members, func(a, b Member) int { return strings.Compare(a.Replica, b.Replica) })
	t.view.Store(v)
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// refresh is the view without what has become too old. It is called now and then.
func (t *table) refresh() *View {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tellTwins()
	if t.departed.expire() {
		t.publish()
	}
	return t.view.Load()
}
