package snapshot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/snapshot"
)

// The power goes at each step of a save, and each part of what was not synced is lost or
// kept. What is there then is the former state or the new one, whole, and no more; and a
// save that returned is never undone.
func TestACrashLeavesOneWholeState(t *testing.T) {
	t.Parallel()
	for name, former := range map[string]state{"nothing before": {}, "a state before": first} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way := range 16 {
				for power := 1; cutSave(t, former, power, way); power++ {
				}
			}
		})
	}
}

// cutSave says whether the power went before the save returned.
func cutSave(t *testing.T, former state, power, way int) (cut bool) {
	t.Helper()
	d := newDisk()
	if former.parts != nil {
		require.NoError(t, former.save(t, snapshot.New(d)))
	}
	d.power = d.steps + power
	err := second.save(t, snapshot.New(d))
	d = d.crash(crashes(uint64(way))[way%4])

	f := snapshot.New(d)
	got, loadErr := load(t, f)
	require.NoError(t, loadErr)
	require.Zero(t, f.Counters.Damaged.Load())
	if err == nil {
		require.Equal(t, second, got)
	} else {
		require.ErrorIs(t, err, errPower)
		require.Contains(t, []state{former, second}, got, "cut at step %d, way %d", power, way)
	}
	files := []string(nil)
	switch got.header {
	case first.header:
		files = []string{"0-1.part", "1-1.part", "2-1.part"}
	case second.header:
		files = partFiles(d)
		require.Len(t, files, 3)
	}
	require.Equal(t, files, partFiles(d), "nothing is left of a save that was cut")
	require.NotContains(t, d.names, "manifest.new")
	require.NoError(t, third.save(t, f))
	requireState(t, third, f)
	return err != nil
}

// Replicas that save, crash, load, fail for want of space and save again, for long.
func TestManyCrashes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		d, have := newDisk(), state{}
		for round := range 12 {
			d.steps, d.power, d.full = 0, random.IntN(25), random.IntN(25)
			next := state{fmt.Sprint("round ", round), map[uint32]string{}}
			for number := range uint32(4) {
				next.parts[number] = fmt.Sprint(random.IntN(2), "/", number)
			}
			f := snapshot.New(d)
			err := next.save(t, f)
			possible := []state{next}
			if err != nil {
				possible = append(possible, have)
			}
			if random.IntN(3) > 0 {
				d = d.crash(crashes(seed)[random.IntN(4)])
				f = snapshot.New(d)
			}
			d.power, d.full = 0, 0
			have, err = load(t, f)
			require.NoError(t, err)
			require.Contains(t, possible, have, "seed %d, round %d", seed, round)
			require.Zero(t, f.Counters.Damaged.Load())
		}
	}
}

// A load that is cut, while it removes what a save left or sets damage aside, loses
// nothing that is good.
func TestACrashOfALoad(t *testing.T) {
	t.Parallel()
	for way := range 8 {
		for power := 1; ; power++ {
			d := newDisk()
			require.NoError(t, first.save(t, snapshot.New(d)))
			d.power = d.steps + 5
			require.ErrorIs(t, second.save(t, snapshot.New(d)), errPower)
			d = d.crash(func() bool { return true })
			require.Len(t, partFiles(d), 4)
			d.names["2-1.part"].data[7] ^= 1
			d.names["2-1.part"].synced[7] ^= 1

			d.power = power
			_, err := load(t, snapshot.New(d))
			d = d.crash(crashes(uint64(way))[way%4])
			got, again := load(t, snapshot.New(d))
			require.NoError(t, again)
			require.Equal(t, state{"first", map[uint32]string{0: "a", 1: "b"}}, got)
			if err == nil {
				break
			}
			require.ErrorIs(t, err, errPower)
		}
	}
}

// Whatever fails, a save that says so has changed nothing, or all.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	for full := 1; ; full++ {
		d := newDisk()
		f := snapshot.New(d)
		require.NoError(t, first.save(t, f))
		d.full = d.steps + full
		err := second.save(t, f)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errFull)
		require.Len(t, partFiles(d), 3, "the disk is not full any longer")
		got, loadErr := load(t, f)
		require.NoError(t, loadErr)
		require.Contains(t, []state{first, second}, got)
		require.NoError(t, second.save(t, f))
		requireState(t, second, f)
	}
}
