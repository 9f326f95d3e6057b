package bloomnet

import (
	"time"

	"golang.org/x/sys/unix"

	"namegate/bloomnet/shard"
)

// Now reads the clocks of the machine. CLOCK_BOOTTIME goes on while the machine is
// suspended, unlike the clock of package time.
func Now() shard.Instant {
	var boot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot); err != nil {
		panic(err) // since Linux 2.6.39 it cannot fail
	}
	return shard.Instant{Boot: time.Duration(boot.Nano()), Wall: time.Now().UTC().Round(0)}
}
