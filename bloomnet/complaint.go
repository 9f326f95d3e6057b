package bloomnet

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"namegate/bloomnet/shard"
	"namegate/bloomnet/transfer"
)

// complaints tell of a cause once for each peer, as every shard meets it in every round;
// again when it was not met for a while.
type complaints struct {
	log *slog.Logger
	mu  sync.Mutex
	met map[complaint]time.Time
}

type complaint struct{ peer, kind string }

const (
	complaintQuiet = time.Minute
	maxComplaints  = 1024
)

// add tells of an image that could not be had of a peer, or was of no use.
func (c *complaints) add(peer string, cause error, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := complaint{peer, kindOf(cause)}
	last, known := c.met[one]
	if !known && len(c.met) == maxComplaints {
		clear(c.met)
	}
	c.met[one] = now
	if !known || now.Sub(last) > complaintQuiet {
		c.log.Warn("images cannot be had of another replica", "peer", peer, "cause", cause)
	}
}

// kinds are the causes that are told apart; all others are of the network, and may have a
// port in their text that is never the same.
var kinds = []error{
	shard.ErrEncoding, shard.ErrUnknownDatabase, shard.ErrForeign, shard.ErrEarly,
	transfer.ErrUntrusted, transfer.ErrDamaged,
}

func kindOf(err error) string {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	if _, mismatch := errors.AsType[*transfer.MismatchError](err); mismatch {
		return "mismatch"
	}
	return "network"
}
