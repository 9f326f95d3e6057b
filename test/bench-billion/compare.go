package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

// sample is how many of the names that were added are looked for again.
const sample = 1_000_000

var errMissing = errors.New("names that were added are missing")

// compare measures the subjects in turns, so that what disturbs one disturbs all.
func compare(list []*subject, absent *pool, rounds int) error {
	for _, s := range list {
		there := newPool(0, int(min(s.names, sample)))
		if s.find(there) != there.len() {
			return fmt.Errorf("%w: %s", errMissing, s.label)
		}
	}
	for range rounds {
		for _, s := range list {
			begun := time.Now()
			s.positives, s.looked = s.find(absent), absent.len()
			s.rounds = append(s.rounds, time.Since(begun))
		}
	}
	return nil
}

// lookUp is the median time of one, in nanoseconds.
func (s *subject) lookUp() float64 {
	rounds := slices.Sorted(slices.Values(s.rounds))
	return float64(rounds[len(rounds)/2].Nanoseconds()) / float64(s.looked)
}

func (s *subject) falsePositives() float64 { return float64(s.positives) / float64(s.looked) }

func (s *subject) bitsPerName() float64 { return float64(s.bits) / float64(s.names) }

// peakMemory is the most that the process had in memory so far, in bytes, as Linux tells.
func peakMemory() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read the peak of memory: %w", err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	kilobytes, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" kB"))
	n, err := strconv.ParseUint(string(kilobytes), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the peak of memory: %w", err)
	}
	return n << 10, nil
}
