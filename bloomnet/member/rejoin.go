package member

import (
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"log/slog"
	"net/netip"
	"strings"
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
		failed := c.join(strangers, turn)
		turn += joinsAtOnce
		lonely = c.lament(lonely, failed)
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

// join tries some addresses, at the same time as a lost one takes 5 s. It fails when there
// are some and none answers.
func (c *Cluster) join(addresses []netip.AddrPort, turn uint) error {
	var attempts sync.WaitGroup
	results := make([]error, min(joinsAtOnce, len(addresses)))
	for i := range results {
		address := addresses[(turn+uint(i))%uint(len(addresses))].String()
		attempts.Go(func() { _, results[i] = c.list.Join([]string{address}) })
	}
	attempts.Wait()
	met := len(results) == 0
	for _, err := range results {
		if err == nil {
			met = true
			c.tally.add(joined)
		} else {
			c.tally.add(joinFailed)
		}
	}
	if met {
		return nil
	}
	return errors.Join(results...)
}

// lament logs when this replica begins and ends to be alone though it should not be.
func (c *Cluster) lament(before bool, failed error) bool {
	alone := len(c.View().Members) < 2
	switch {
	case !before && alone && failed != nil:
		cause := strings.Join(strings.Fields(failed.Error()), " ")
		c.journal.tell(slog.LevelWarn, "no other replica can be reached", slog.String("cause", cmp.Or(causeOf(cause), cause)))
		return true
	case before && !alone:
		c.journal.tell(slog.LevelInfo, "other replicas are reached again")
		return false
	}
	return before
}
