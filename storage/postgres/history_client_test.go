package postgres_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/rpc"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// group is some names and accounts with their history.
type group struct {
	history
	names    []identifier.Identifier
	accounts []string
	pools    []*pgxpool.Pool // of the databases, for lapses
	replica  func(*rand.Rand) storage.Store

	mu       sync.Mutex
	reserved []storage.ReserveRequest
	got      []bool     // reservations that were answered
	open     []*pending // requests without an answer
	lost     int        // cancels and orders without one
	failed   error      // of the last call whose outcome is unknown
}

// pending is a request that is sent until it has an answer.
type pending struct {
	operation operation
	send      func(context.Context, storage.Store) (any, reply)
	client    int
	first     int64 // call of the first send
	unknown   []recorded
	answer    any // of the request, once it has one
}

// client does random things with its group.
type client struct {
	*group
	number int
	random *rand.Rand
}

// unclear is how many operations may yet happen.
func (g *group) unclear() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open) + g.lost
}

// sends is how often a client sends a request before it leaves it to the end of the run.
const sends = 8

// callTime is how long a client waits for an answer.
const callTime = 2 * time.Second

// act does one random operation. What is drawn depends on the seed and on what
// reservations were answered.
func (c *client) act(t *testing.T) {
	dice, name, account := c.random.IntN(100), c.random.IntN(groupNames), c.random.IntN(groupAccounts)
	o := operation{Name: name, Account: account}
	switch {
	case dice < 22:
		c.reserve(t, o)
	case dice < 44:
		c.confirm(t, o)
	case dice < 74:
		o.Kind = opRename
		ch := c.changeOf(o)
		c.request(t, o, func(ctx context.Context, s storage.Store) (any, reply) {
			renamed, err := s.Rename(ctx, ch, c.names[name])
			out := c.reply(t, err)
			if out.Former = none; err == nil && renamed.Former != nil {
				out.Former = c.nameOf(renamed.Former.Identifier)
			}
			return renamed, out
		})
	case dice < 79:
		o.Kind = opRelease
		c.release(t, o, c.names[name])
	case dice < 82:
		o.Kind = opAll
		c.release(t, o)
	case dice < 88:
		c.cancel(t)
	case dice < 92:
		c.lapse(t, o)
	case dice < 95:
		c.order(t, o, opBlock)
	case dice < 98:
		c.order(t, o, opUnblock)
	case dice < 99:
		c.lookup(t, c.replica(c.random), o, false)
	default:
		c.account(t, c.replica(c.random), o)
	}
}

// changeOf is a request of the account itself, or of a back end.
func (c *client) changeOf(o operation) storage.Change {
	if c.random.IntN(2) == 0 {
		return userChange(c.accounts[o.Account])
	}
	return serviceChange(c.random.IntN(2), c.accounts[o.Account])
}

func (c *client) reserve(t *testing.T, o operation) {
	req := request(c.names[o.Name])
	o.Kind = opReserve
	c.mu.Lock()
	o.Reservation = len(c.reserved)
	c.reserved, c.got = append(c.reserved, req), append(c.got, false)
	c.mu.Unlock()
	c.request(t, o, func(ctx context.Context, s storage.Store) (any, reply) {
		outcome, err := s.Reserve(ctx, req)
		if err == nil {
			c.mu.Lock()
			c.got[o.Reservation] = true
			c.mu.Unlock()
		}
		return outcome, c.reply(t, err)
	})
}

// pick is a random reservation that was answered, with its number, or none.
func (c *client) pick() (number int, req storage.ReserveRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var got []int
	for i, yes := range c.got {
		if yes {
			got = append(got, i)
		}
	}
	if len(got) == 0 {
		return none, req
	}
	number = got[len(got)-1-c.random.IntN(min(4, len(got)))] // of the newest
	return number, c.reserved[number]
}

func (c *client) confirm(t *testing.T, o operation) {
	number, req := c.pick()
	if number == none {
		return
	}
	o.Kind, o.Name, o.Reservation = opConfirm, c.nameOf(req.Candidates[0]), number
	ch := c.changeOf(o)
	c.request(t, o, func(ctx context.Context, s storage.Store) (any, reply) {
		list, err := s.Confirm(ctx, ch, req.Request)
		return list, c.reply(t, err)
	})
}

func (c *client) release(t *testing.T, o operation, ids ...identifier.Identifier) {
	ch := c.changeOf(o)
	c.request(t, o, func(ctx context.Context, s storage.Store) (any, reply) {
		list, err := s.Release(ctx, ch, ids...)
		out := c.reply(t, err)
		out.Names = c.namesOf(list)
		return list, out
	})
}

// cancel is no request of its own: each send is an operation. Those without an answer
// count as one, as what they free cannot be held again.
func (c *client) cancel(t *testing.T) {
	r, req := c.pick()
	if r == none {
		return
	}
	o := operation{Kind: opFree, Name: c.nameOf(req.Candidates[0]), Reservation: r}
	first := c.now()
	for n := range sends {
		call := c.now()
		ctx, cancel := context.WithTimeout(t.Context(), callTime)
		_, err := c.replica(c.random).Cancel(ctx, req.Request)
		cancel()
		if out := c.reply(t, err); out.Is != isUnknown {
			if n > 0 {
				c.cancelled(o, reply{Is: isUnknown}, first, c.now())
			}
			c.cancelled(o, out, call, c.now())
			return
		}
	}
	c.mu.Lock()
	c.lost++
	c.mu.Unlock()
	c.cancelled(o, reply{Is: isUnknown}, first, openEnded)
}

// cancelled records the two steps of a cancel, of which the first always succeeds.
func (c *client) cancelled(o operation, out reply, call, done int64) {
	revoke, revoked := o, out
	revoke.Kind = opRevoke
	if out.Is != isUnknown {
		revoked = reply{Is: isOK}
	}
	c.add(recorded{c.number, revoke, revoked, call, done}, recorded{c.number, o, out, call, done})
}

// lapse ends a reservation or a protection by the hand of the test.
func (c *client) lapse(t *testing.T, o operation) {
	o.Kind = opLapse
	id := c.names[o.Name]
	call := c.now()
	out := reply{Is: isOK}
	for _, pool := range c.pools {
		var state int16
		var owner string
		var holder [16]byte
		err := pool.QueryRow(t.Context(), `
			UPDATE holdings SET expire_at = '2000-01-01' WHERE vshard = $1 AND kind = 1 AND key = $2 AND state IN (1, 3) AND intent_grant IS NULL
			RETURNING state, coalesce(owner, ''), coalesce(holder, '00000000-0000-0000-0000-000000000000')`,
			int16(storage.VshardOf(id)), id.Key()).Scan(&state, &owner, &holder)
		if err == nil {
			out.State = storage.State(state)
			out.By = c.holderOf(storage.Holding{State: out.State, Owner: owner, Holder: holder})
		}
	}
	c.add(recorded{c.number, o, out, call, c.now()})
}

func (c *client) lookup(t *testing.T, s storage.Store, o operation, exact bool) {
	o.Kind = opLookup
	call := c.now()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	standing, err := s.Lookup(ctx, c.names[o.Name])
	out := c.reply(t, err)
	if out.Is != isOK {
		return
	}
	if standing.Held != nil {
		out = c.seen(*standing.Held)
		out.Is = isOK
	}
	out.Exact = exact
	c.add(recorded{c.number, o, out, call, c.now()})
}

func (c *client) account(t *testing.T, s storage.Store, o operation) {
	o.Kind = opAccount
	call := c.now()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	list, err := s.Account(ctx, c.accounts[o.Account])
	if out := c.reply(t, err); out.Is == isOK {
		out.Names = c.namesOf(list)
		c.add(recorded{c.number, o, out, call, c.now()})
	}
}

// request sends a request to random replicas until it is answered, and sometimes
// once more. One that may still happen is sent again at the end of the run.
func (c *client) request(t *testing.T, o operation, send func(context.Context, storage.Store) (any, reply)) {
	p := &pending{operation: o, send: send, client: c.number, first: c.now()}
	for n := 0; n < sends && !c.try(t, p, c.replica(c.random)); n++ {
	}
	switch {
	case p.answer == nil && len(p.unknown) > 0 && o.Kind != opReserve:
		c.mu.Lock()
		c.open = append(c.open, p)
		c.mu.Unlock()
	case p.answer != nil && c.random.IntN(4) == 0:
		c.again(t, p, c.replica(c.random))
	}
}

// try sends a request once and says whether it was answered.
//
// All sends of a change are one operation, as its record lets it happen once. A
// refusal is an operation of its own. Each send of a reserve is an operation: it may
// win a name that has run out meanwhile, once more. A reserve that is never answered
// has no use for its name; others may only see it.
func (c *client) try(t *testing.T, p *pending, s storage.Store) bool {
	call := c.now()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	answer, out := p.send(ctx, s)
	entry := recorded{p.client, p.operation, out, call, c.now()}
	switch {
	case out.Is == isUnknown:
		entry.Return = openEnded
		p.unknown = append(p.unknown, entry)
		return false
	case out.Is != isOK:
	case p.operation.Kind == opReserve:
		p.answer = answer
		for _, u := range p.unknown {
			u.Return = entry.Return
			c.add(u)
		}
	default:
		p.answer = answer
		entry.Call = p.first
	}
	c.add(entry)
	return true
}

// again says that an answered request gets its answer once more, if any. A reserve
// whose name has run out wins it first and then gives it back, which may fail.
func (c *client) again(t *testing.T, p *pending, s storage.Store) {
	call := c.now()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	answer, out := p.send(ctx, s)
	done := c.now()
	if out.Is != isUnknown {
		require.Equal(t, isOK, out.Is, "an answered request was refused")
		require.Equal(t, p.answer, answer, "one request, two answers")
	} else {
		done = openEnded
	}
	if p.operation.Kind == opReserve {
		c.add(recorded{p.client, p.operation, reply{Is: isUnknown}, call, done})
	}
}

// reply is what an error means; errors that the contract does not have fail the test.
func (c *client) reply(t *testing.T, err error) reply {
	var held *storage.HeldError
	switch {
	case err == nil:
		return reply{Is: isOK}
	case errors.As(err, &held):
		out := c.seen(held.Holding)
		out.Is = isHeld
		return out
	case errors.Is(err, storage.ErrNotFound):
		return reply{Is: isNotFound}
	case errors.Is(err, storage.ErrNotOwner):
		return reply{Is: isNotOwner}
	case errors.Is(err, storage.ErrNotBlocked):
		return reply{Is: isOpen}
	case errors.As(err, new(*storage.LimitError)):
		return reply{Is: isLimit}
	case !outcomeUnknown(err):
		t.Errorf("operation failed: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = err
	return reply{Is: isUnknown}
}

// outcomeUnknown says that an error leaves the outcome open: the contract's own, and
// those of a process that died.
func outcomeUnknown(err error) bool {
	for _, lost := range []error{
		context.DeadlineExceeded, context.Canceled, rpc.ErrShutdown, io.EOF, io.ErrUnexpectedEOF, os.ErrClosed, syscall.EPIPE,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return errors.As(err, new(*storage.UnavailableError)) || errors.As(err, new(*storage.OverloadedError))
}

// seen is what a holding says.
func (g *group) seen(h storage.Holding) reply {
	ended := !h.ExpireAt.IsZero() && h.ExpireAt.Before(time.Now())
	if h.State == storage.Released { // only a block keeps it
		return reply{Blocked: h.Blocked}
	}
	return reply{State: h.State, By: g.holderOf(h), Marked: ended, Blocked: h.Blocked}
}

// holderOf is the number of an account, or of the reservation.
func (g *group) holderOf(h storage.Holding) int {
	if h.State != storage.Reserved {
		return slices.Index(g.accounts, h.Owner)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.IndexFunc(g.reserved, func(r storage.ReserveRequest) bool { return r.Request.ID == h.Holder })
}

func (g *group) nameOf(id identifier.Identifier) int {
	return slices.IndexFunc(g.names, func(n identifier.Identifier) bool { return n.Key() == id.Key() })
}

func (g *group) namesOf(list []storage.Holding) []int {
	numbers := []int{}
	for _, h := range list {
		numbers = append(numbers, g.nameOf(h.Identifier))
	}
	return numbers
}
