package member

import (
	"context"
	"hash/crc32"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// Replicas that are not members are looked for this often, and so many at a time; at
// first more often, as replicas that start together do not hear each other yet.
const (
	rejoinInterval = 15 * time.Second
	firstInterval  = time.Second
	joinsAtOnce    = 3
)

// rejoin joins who is not a member, again and again. It heals every partition, however
// long: each side keeps the addresses of the other.
func (c *Cluster) rejoin(ctx context.Context) {
	turn := uint(crc32.ChecksumIEEE([]byte(c.own.node()))) // not all begin with the same
	lonely := false
	for pause := firstInterval; ; pause = min(2*pause, rejoinInterval) {
		strangers := c.strangers(ctx)
		met := c.join(strangers, turn)
		turn += joinsAtOnce
		lonely = c.lament(lonely, len(strangers) > 0 && met == 0)
		if pause == firstInterval {
			close(c.joined)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// join tries some addresses, at the same time as a lost one takes 5 s, and says how many
// answered.
func (c *Cluster) join(addresses []netip.AddrPort, turn uint) int {
	var attempts sync.WaitGroup
	results := make([]bool, min(joinsAtOnce, len(addresses)))
	for i := range results {
		address := addresses[(turn+uint(i))%uint(len(addresses))].String()
		attempts.Go(func() {
			_, err := c.list.Join([]string{address})
			results[i] = err == nil
		})
	}
	attempts.Wait()
	met := 0
	for _, ok := range results {
		if ok {
			met++
			c.tally.add(joined)
		} else {
			c.tally.add(joinFailed)
		}
	}
	return met
}

// lament logs when this replica begins and ends to be alone though it should not be.
func (c *Cluster) lament(before, failed bool) bool {
	alone := len(c.View().Members) < 2
	switch {
	case !before && alone && failed:
		c.journal.tell(slog.LevelWarn, "no other replica can be reached")
		return true
	case before && !alone:
		c.journal.tell(slog.LevelInfo, "other replicas are reached again")
		return false
	}
	return before
}
