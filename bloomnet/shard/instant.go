package shard

import "time"

// Instant is one reading of a replica's two clocks. Neither alone will do: a wall
// clock may be set back, and one that counts from the boot stands still while some
// hypervisors keep the machine frozen.
type Instant struct {
	Boot time.Duration // since the boot, suspend included (CLOCK_BOOTTIME)
	Wall time.Time     // UTC, without a monotonic reading
}

// Since is the time from an earlier reading to this one: the longer by either clock.
func (i Instant) Since(earlier Instant) time.Duration {
	return max(i.Boot-earlier.Boot, i.Wall.Sub(earlier.Wall))
}

// after says that a reading was taken later, in the same boot.
func (i Instant) after(other Instant) bool { return i.Boot > other.Boot }
