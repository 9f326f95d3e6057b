package transfer

import (
	"slices"
	"time"
)

// enter finds the peer, and keeps it known until exit.
func (p *Puller) enter(address string) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.peers[address]
	if at == nil {
		at = &peer{pulls: make(slots, p.options.PullsPerPeer)}
		p.peers[address] = at
	}
	at.users++
	return at
}

func (p *Puller) exit(address string, at *peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at.users--
	p.forget(address, at)
}

// forget is called with mu locked.
func (p *Puller) forget(address string, at *peer) {
	if at.users == 0 && len(at.idle) == 0 {
		delete(p.peers, address)
	}
}

// takeIdle gives the connection that was kept last; nil when there is none.
func (p *Puller) takeIdle(at *peer) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(at.idle) > 0 {
		c := at.idle[len(at.idle)-1]
		at.idle = at.idle[:len(at.idle)-1]
		if c.timer.Stop() {
			p.running.Done()
			return c
		}
	}
	return nil
}

// keep has a connection ready for the next pull, for a time.
func (p *Puller) keep(address string, at *peer, c *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.raw.Close()
		return
	}
	at.idle = append(at.idle, c)
	p.running.Add(1)
	c.timer = time.AfterFunc(p.options.IdleTimeout, func() {
		defer p.running.Done()
		c.raw.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		at.idle = slices.DeleteFunc(at.idle, func(other *link) bool { return other == c })
		p.forget(address, at)
	})
}

// dropIdle closes what is kept. Those whose time has just run out close themselves.
func (p *Puller) dropIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.peers {
		for _, c := range at.idle {
			if c.timer.Stop() {
				c.raw.Close()
				p.running.Done()
			}
		}
		at.idle = nil
	}
}
