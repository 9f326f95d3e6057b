package transfer

import (
	"context"
	"errors"
	"slices"
	"time"
)

// pull asks peers, round after round, until one gives the blob or none is left to ask. It
// keeps its place while it pauses, as it keeps what has come: places bound the memory.
func (p *Puller) pull(ctx context.Context, addresses []string, number uint32, have []byte) (Blob, error) {
	if err := p.pulls.wait(ctx); err != nil {
		return Blob{}, p.ended(err)
	}
	defer p.pulls.free()
	part := &part{number: number, have: have, longest: p.options.MaxBlob, timeout: p.options.FrameTimeout}
	left, reasons := slices.Clone(addresses), map[string]error{}
	for round := range p.options.Rounds {
		if round > 0 && !pause(ctx, p.backoff(round, left, reasons)) {
			return Blob{}, p.ended(ctx.Err())
		}
		p.shuffle(left)
		for _, address := range left {
			blob, err := p.from(ctx, address, part)
			if err == nil || ctx.Err() != nil {
				return blob, p.ended(err)
			}
			reasons[address] = err // of the last round that asked it
		}
		left = slices.DeleteFunc(left, func(address string) bool { return isFinal(reasons[address]) })
		if len(left) == 0 {
			break
		}
	}
	return Blob{}, &PullError{Number: number, Reasons: reasons}
}

// ended tells the end of the Puller from that of a pull.
func (p *Puller) ended(err error) error {
	if err != nil && p.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// isFinal says that a peer would answer the same at once again.
func isFinal(err error) bool {
	return errors.Is(err, ErrNotHeld) || errors.Is(err, ErrNotNewer) || errors.Is(err, ErrUntrusted) ||
		errors.Is(err, errTooLong) || isForeign(err)
}

// shuffle is that of Fisher and Yates.
func (p *Puller) shuffle(addresses []string) {
	for i := len(addresses) - 1; i > 0; i-- {
		j := int(p.options.Random() * float64(i+1))
		addresses[i], addresses[j] = addresses[j], addresses[i]
	}
}

// backoff is the pause before a round. When all peers are busy, none is asked before the
// first of them said.
func (p *Puller) backoff(round int, left []string, reasons map[string]error) time.Duration {
	least := p.options.MaxPause
	for _, address := range left {
		after := time.Duration(0)
		if busy := (*BusyError)(nil); errors.As(reasons[address], &busy) {
			after = busy.RetryAfter
		}
		least = min(least, after)
	}
	ceiling := p.options.MinPause
	for range round - 1 {
		ceiling = min(2*ceiling, p.options.MaxPause)
	}
	return least + time.Duration(p.options.Random()*float64(ceiling))
}
