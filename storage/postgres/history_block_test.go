package postgres_test

import (
	"context"
	"testing"

	"namegate/storage"
)

// barring is the state after an order, which changes nothing else.
func (r registry) barring(name int, blocked bool) registry {
	r.Names[name].Blocked = blocked
	return r
}

// ordered are the states after an order that was answered: the answer is what is so then.
func (r registry) ordered(o operation, out reply) (next []registry) {
	changed := !r.Names[o.Name].Blocked
	for _, after := range r.effects(o) {
		if after.shows(after.Names[o.Name], out) && (o.Kind == opUnblock || out.Changed == changed) {
			next = append(next, after)
		}
	}
	return next
}

// order has a name blocked, or let go. It is no request of its own: one without an answer
// may yet be carried out.
func (c *client) order(t *testing.T, o operation, kind string) {
	o.Kind = kind
	call := c.now()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	standing, changed, err := c.send(ctx, c.replica(c.random), o)
	out := c.reply(t, err)
	if out.Is == isUnknown {
		c.mu.Lock()
		c.lost++
		c.mu.Unlock()
		c.add(recorded{c.number, o, out, call, openEnded})
		return
	}
	if out.Is == isOK && standing.Held != nil {
		out = c.seen(*standing.Held)
		out.Is = isOK
	}
	out.Changed = changed
	c.add(recorded{c.number, o, out, call, c.now()})
}

func (c *client) send(ctx context.Context, s storage.Store, o operation) (storage.Standing, bool, error) {
	by := order(c.names[o.Name])
	if o.Kind == opUnblock {
		standing, err := s.Unblock(ctx, by)
		return standing, true, err
	}
	blocked, err := s.Block(ctx, by)
	return blocked.Standing, blocked.Changed, err
}
