package postgres_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
)

var (
	historyOps  = flag.Int("history.ops", 1000, "operations of TestHistoriesAreLinearizable; above 10000 the databases are restarted, too")
	historySeed = flag.Uint64("history.seed", 0, "seed of their schedule; 0 draws one")
)

const (
	groupClients = 3
	groupActs    = 80 // of all clients of a group, so that it can be checked
	maxUnclear   = 7  // operations of a group whose outcome stays unknown
	roundGroups  = 26 // between two times when all that was begun must come to an end
	groupsAtOnce = 15
	restartFrom  = 10_000
)

// Clients on several replicas do all that an account can do, while processes die,
// sleep and wake up, connections break and, in a long run, databases are restarted.
// What each group of names and accounts saw must be what one registry could have
// answered, one call after the other. In the end nothing is left half done.
func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	seed := *historySeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-history.seed=%d", seed)
	r := newRun(t, seed, *historyOps > restartFrom)
	for round := 0; r.entries < *historyOps; round++ {
		r.round(t, round)
	}
	t.Logf("%d operations, of which %d stayed without an answer, %d deaths, %d answers lost",
		r.entries, r.unknown, r.mortal.deaths.Load(), r.cutter.lost.Load())
}

// run is the registry under test with all that goes wrong in it.
type run struct {
	*bases
	seed      uint64
	server    *localpg.Server // nil when it is not to be restarted
	near, cut *postgres.Store
	cutter    cutter
	mortal    mortal

	entries, unknown int
}

func newRun(t *testing.T, seed uint64, restarts bool) *run {
	t.Helper()
	r := &run{seed: seed}
	o := options(t, 0)
	if restarts {
		r.server = pgtest.NewServer(t, nil, "a", "b")
		o.Databases = []postgres.Database{{Name: "a", DSN: r.server.DSN("a")}, {Name: "b", DSN: r.server.DSN("b")}}
	} else {
		o = options(t, 2)
	}
	require.NoError(t, postgres.Migrate(t.Context(), o))
	r.bases = basesOf(t, freelyRenaming(o))
	quiet := r.o
	quiet.Logger = discard
	r.near = open(t, quiet)
	r.mortal = mortal{o: quiet, random: r.source(1)}
	through := quiet
	through.Databases = []postgres.Database{r.cutter.through(t, o.Databases[0]), r.cutter.through(t, o.Databases[1])}
	r.cut = open(t, through)
	return r
}

// source is a part of the schedule.
func (r *run) source(part uint64) *rand.Rand { return rand.New(rand.NewPCG(r.seed, part)) }

// round runs some groups through faults, then lets all come to its end and checks it.
func (r *run) round(t *testing.T, round int) {
	t.Helper()
	ctx, calm := context.WithCancel(t.Context())
	var weather sync.WaitGroup
	weather.Go(func() { r.mortal.live(ctx, t) })
	weather.Go(func() {
		faults(ctx, t, r.source(uint64(round)<<32|2), &r.mortal, &r.cutter, r.bases, r.server)
	})
	groups := make([]*group, roundGroups)
	var all errgroup.Group
	all.SetLimit(groupsAtOnce)
	for i := range groups {
		groups[i] = r.group(r.source(uint64(round)<<32 | uint64(i)<<8))
		all.Go(func() error { r.live(t, groups[i], uint64(round)<<32|uint64(i)<<8); return nil })
	}
	_ = all.Wait() // no group gives an error
	calm()
	weather.Wait()
	r.end(t, groups)
}

// group makes the names and accounts of clients, the accounts in databases by the schedule.
func (r *run) group(random *rand.Rand) *group {
	g := &group{pools: r.pools, replica: replicas(r.near, r.cut, &r.mortal), history: history{began: time.Now()}}
	for range groupNames {
		g.names = append(g.names, freshName())
	}
	for range groupAccounts {
		g.accounts = append(g.accounts, accountIn(random.IntN(2)))
	}
	return g
}

// live lets the clients of a group act at the same time.
func (r *run) live(t *testing.T, g *group, part uint64) {
	var clients sync.WaitGroup
	for number := range groupClients {
		c := &client{group: g, number: number, random: r.source(part | uint64(16+number))}
		clients.Go(func() {
			for range groupActs / groupClients {
				if g.unclear() < maxUnclear {
					c.act(t)
				}
			}
		})
	}
	clients.Wait()
}

// end brings all to its end: requests without an answer are sent until they have
// one, what else is under way is settled, and the last reads must see just that.
func (r *run) end(t *testing.T, groups []*group) {
	t.Helper()
	for _, pool := range r.pools {
		pool.Reset() // connections to a server that was killed
	}
	var all errgroup.Group
	all.SetLimit(groupsAtOnce)
	for _, g := range groups {
		c := &client{group: g, number: groupClients, random: r.source(3)}
		all.Go(func() error { r.answerAll(t, c); return nil })
	}
	_ = all.Wait() // as above
	for _, g := range groups {
		r.settle(t, g)
	}
	r.requireConsistent(t)
	for _, g := range groups {
		c := &client{group: g, number: groupClients}
		for name := range groupNames {
			c.lookup(t, r.near, operation{Name: name}, true)
		}
		for account := range groupAccounts {
			c.account(t, r.near, operation{Account: account})
		}
		r.entries, r.unknown = r.entries+len(g.entries), r.unknown+g.unanswered()
		g.requireLinearizable(t, "a group", r.seed)
	}
}

// answerAll sends what has no answer.
func (r *run) answerAll(t *testing.T, c *client) {
	for _, p := range c.open {
		for deadline := time.Now().Add(time.Minute); !c.try(t, p, r.near); r.tryAge() {
			require.True(t, time.Now().Before(deadline), "%+v has no answer: %v", p.operation, c.failed)
		}
		if p.answer != nil {
			c.again(t, p, r.near)
		} else {
			c.add(p.unknown[0]) // it may yet happen
		}
	}
}

// settle has a stranger meet the intents, and each account what is pending for it.
func (r *run) settle(t *testing.T, g *group) {
	t.Helper()
	w := &world{bases: r.bases}
	w.settle(t, g.accounts, g.names...)
}

// unanswered counts operations that may yet happen.
func (h *history) unanswered() (n int) {
	for _, e := range h.entries {
		if e.Return == openEnded {
			n++
		}
	}
	return n
}
