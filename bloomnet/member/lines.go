package member

import (
	"strings"
	"time"
)

// causes are what memberlist's lines mean that operators can do something about, by a part
// of the line.
var causes = []struct{ part, text string }{
	{"could decrypt", otherKey},
	{"Decrypt packet failed", otherKey},
	{"encryption is not configured", otherKey},
	{"remote state is not encrypted", otherKey},
	{"Failed to send", "datagrams to other replicas cannot be sent: does something on this machine refuse UDP?"},
	{"UDP probes failed", "another replica is reached by TCP, but not by UDP"},
}

const otherKey = "a replica or another program has another gossip key, or none: its messages cannot be decrypted"

// causeOf is what a line means; empty when nothing is known of it.
func causeOf(line string) string {
	for _, c := range causes {
		if strings.Contains(line, c.part) {
			return c.text
		}
	}
	return ""
}

// repeats lets a line of a kind through once a minute, with how many more there were. It
// belongs to who holds the journal's lock.
type repeats map[string]repeat

type repeat struct {
	told time.Time
	more int
}

const (
	repeatTime = time.Minute
	maxKinds   = 64
)

// take says whether to tell a line of a kind now, and how many were not told before.
func (r repeats) take(kind string, now time.Time) (tell bool, more int) {
	one, known := r[kind]
	if !known && len(r) == maxKinds {
		kind = "" // of all others
		one, known = r[kind]
	}
	if known && now.Sub(one.told) < repeatTime {
		r[kind] = repeat{one.told, one.more + 1}
		return false, 0
	}
	r[kind] = repeat{told: now}
	return true, one.more
}

// kindOf is what lines of one cause have in common: all before the first address or name.
func kindOf(line string) string {
	if cause := causeOf(line); cause != "" {
		return cause
	}
	if end := strings.IndexAny(line, ":('\"0123456789"); end > 0 {
		return line[:end]
	}
	return line
}
