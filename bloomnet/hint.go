package bloomnet

import (
	"context"
	"encoding/binary"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/member"
)

const (
	// hintSize is that of an encoded hint: both halves of a hash, little-endian.
	hintSize = 16
	// hintsInOne is how many fit one message.
	hintsInOne = member.MaxPayload / hintSize
	// hintsWaiting is how many may wait for the next message; what is beyond is dropped.
	hintsWaiting = 8192
	// hintInterval is how long the first one waits for others at most.
	hintInterval = 20 * time.Millisecond
)

type hint = bloom.Hash

// Hint says that a name is about to be added, to this replica at once and to others soon.
func (n *Net) Hint(name bloom.Hash) {
	n.view.Hint(name)
	if n.fleet == nil {
		return
	}
	select {
	case n.fleet.outbox <- name:
	default:
		n.stats.HintsDropped.Add(1)
	}
}

// sendHints sends what others may want to know before the feed tells them. Nothing rests
// on it.
func (f *fleet) sendHints(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-f.outbox:
			_ = f.cluster.SendAll(kindHints, f.gather(ctx, first)) // too many replicas, or the end
		}
	}
}

// gather waits a moment for more hints to go with the first.
func (f *fleet) gather(ctx context.Context, first hint) []byte {
	b := appendHint(make([]byte, 0, hintsInOne*hintSize), first)
	timer := time.NewTimer(hintInterval)
	defer timer.Stop()
	for len(b) < hintsInOne*hintSize {
		select {
		case h := <-f.outbox:
			b = appendHint(b, h)
		case <-timer.C:
			return b
		case <-ctx.Done():
			return b
		}
	}
	return b
}

func appendHint(b []byte, h hint) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, h.Hi), h.Lo)
}

// hinted takes hints of others.
func (f *fleet) hinted(_ context.Context, m member.Message) {
	if m.Kind != kindHints || len(m.Payload)%hintSize != 0 {
		return
	}
	for b := m.Payload; len(b) > 0; b = b[hintSize:] {
		f.view.Hint(hint{Hi: binary.LittleEndian.Uint64(b), Lo: binary.LittleEndian.Uint64(b[8:])})
	}
}
