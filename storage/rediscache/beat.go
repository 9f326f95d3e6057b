package rediscache

import "time"

// beat is one increment of the number in Redis.
type beat struct {
	sent   time.Time // before it was sent, by this replica's clock
	number uint64    // that it gave
}

// pulse is what one replica knows of the cache as a whole. It never changes.
type pulse struct {
	generation generation
	beats      []beat // of that generation, ascending
}

const (
	beatInterval = 500 * time.Millisecond
	// pulseLife is how long a replica trusts what it knows of the generation.
	pulseLife = 2 * time.Second
)

// after is the pulse with one more beat. What a number that went back tells of is another
// Redis, and of beats before keep ago no judgement needs to know.
func (p *pulse) after(g generation, b beat, keep time.Duration) *pulse {
	next := &pulse{generation: g}
	if p != nil && p.generation == g && p.beats[len(p.beats)-1].number < b.number {
		for _, old := range p.beats {
			if age(b.sent, old.sent) <= keep {
				next.beats = append(next.beats, old)
			}
		}
	}
	next.beats = append(next.beats, b)
	return next
}

func (p *pulse) last() beat { return p.beats[len(p.beats)-1] }

// alive says that the generation is known of late.
func (p *pulse) alive(now time.Time) bool {
	return p != nil && p.generation != generation{} && age(now, p.last().sent) <= pulseLife
}

// within says that what carries a number was read less than bound ago: not before the
// sending of a beat, itself within the bound, that gave that number or a lower one.
func (p *pulse) within(now time.Time, number uint64, bound time.Duration) bool {
	for _, b := range p.beats {
		if age(now, b.sent) <= bound {
			return number >= b.number
		}
	}
	return false
}

// age is the time that has passed: by the monotonic clock, which may stand still while the
// machine sleeps, or by the wall clock, which may be set, whichever says more.
func age(now, then time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}
