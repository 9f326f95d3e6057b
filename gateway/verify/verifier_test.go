package verify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/verify"
	"namegate/storage"
)

func nothing() {}

// What a layer says is wrong when it contradicts its database, and still does so later.
func TestWhatIsWrong(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct {
		said, has, later storage.Standing
		wrong            uint64
	}{
		"free, and it is free":                    {free, free, free, 0},
		"held, and it is held":                    {held("ada", 1), held("ada", 1), held("ada", 1), 0},
		"free, and it is held":                    {free, held("ada", 1), held("ada", 1), 1},
		"held, and it is free":                    {held("ada", 1), free, free, 1},
		"held, as it was held once":               {held("ada", 1), held("ada", 2), held("ada", 2), 1},
		"free, and it is held, and changes again": {free, held("ada", 1), held("ada", 2), 0},
		"free, and it has just been held":         {free, held("ada", 1), free, 0},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			tables := table{"ada": c.has}
			found := run(t, &layer{says: map[string]storage.Standing{"ada": c.said}}, tables, all, func() { tables["ada"] = c.later })
			require.Equal(t, c.wrong, found.Wrong, found.Examples)
			require.Equal(t, uint64(1), found.Said)
			require.Len(t, found.Examples, int(c.wrong))
		})
	}
}

// A layer may be late, and says something else or nothing when it has caught up.
func TestALayerMayBeLate(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{"ada": free, "grace": held("grace", 1)}}
	found := run(t, l, table{"ada": held("ada", 1), "grace": free}, all, func() {
		l.says["ada"] = held("ada", 1)
		delete(l.says, "grace")
	})
	require.Zero(t, found.Wrong)
	require.Empty(t, found.Unseen)
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct {
		repair, mends bool
		mended        uint64
	}{
		"is not asked for": {false, true, 0}, "works": {true, true, 2}, "does not work": {true, false, 0},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			l := &layer{says: map[string]storage.Standing{"ada": free, "grace": free, "hopper": held("hopper", 1)}, mends: c.mends}
			tables := table{"ada": held("ada", 1), "grace": held("grace", 1), "hopper": held("hopper", 1)}
			found := run(t, l, tables, verify.Request{Share: 1, Repair: c.repair}, nothing)
			require.Equal(t, uint64(2), found.Wrong)
			require.Equal(t, c.mended, found.Mended)
			require.Equal(t, c.mended < 2, verify.Report{Layers: []verify.Findings{found}}.Wrong())
			if c.repair {
				require.ElementsMatch(t, []string{"ada", "grace"}, l.mended, "and nothing that is right")
			} else {
				require.Empty(t, l.mended)
			}
		})
	}
}

// A share of the vshards is looked at, of all layers the same.
func TestASample(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{}}
	for i := range 20_000 {
		l.says[fmt.Sprint("name", i)] = free
	}
	found := run(t, l, table{}, verify.Request{Share: 0.1}, nothing)
	require.InDelta(t, 2000, found.Names, 600)
	found = run(t, l, table{}, verify.Request{Share: 1e-9}, nothing)
	require.InDelta(t, 20, found.Names, 20, "one vshard at least")
	for _, share := range []float64{0, -1, 1.1} {
		_, err := verifier(t, l, table{}, nothing).Run(t.Context(), verify.Request{Share: share}, ignore)
		require.ErrorContains(t, err, "share")
	}
}

// What cannot be looked at is told, and keeps nothing else from being looked at.
func TestWhatCannotBeSeenIsTold(t *testing.T) {
	t.Parallel()
	tables := table{"ada": held("ada", 1)}
	l := &layer{says: map[string]storage.Standing{"ada": free, "unreadable": free}, err: errors.New("half of it is away")}
	found := run(t, l, tables, all, nothing)
	require.Equal(t, uint64(1), found.Wrong)
	require.Len(t, found.Unseen, 2)
	require.False(t, verify.Report{Layers: []verify.Findings{found}}.Whole())
}

// A suspect that cannot be asked for again is neither wrong nor mended.
func TestASuspectThatCannotBeAskedForAgain(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{"ada": free}}
	tables := table{"ada": held("ada", 1)}
	found := run(t, l, tables, all, func() { l.silent = errAway })
	require.Zero(t, found.Wrong)
	require.Len(t, found.Unseen, 1)

	l, waits := &layer{says: map[string]storage.Standing{"ada": free}}, 0
	found = run(t, l, tables, verify.Request{Share: 1, Repair: true}, func() {
		if waits++; waits == 2 {
			l.silent = errAway
		}
	})
	require.Equal(t, uint64(1), found.Wrong)
	require.Zero(t, found.Mended)
}

// Databases that are away end a look before it has asked for a million names in vain.
func TestALookOfNoUseEnds(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{}, silent: errAway}
	for i := range 20_000 {
		l.says[fmt.Sprint("name", i)] = free
	}
	found := run(t, l, table{}, all, nothing)
	require.Less(t, found.Names, uint64(6000))
	require.Len(t, found.Unseen, 2)
}

// Half of the names cannot be read, which keeps none of the others from being looked at.
func TestOneDatabaseIsAway(t *testing.T) {
	t.Parallel()
	l, tables := &layer{says: map[string]storage.Standing{}}, halfAway{}
	for i := range 20_000 {
		l.says[fmt.Sprint("name", i)] = free
	}
	report, err := verifier(t, l, tables, nothing).Run(t.Context(), all, ignore)
	require.NoError(t, err)
	found := report.Layers[0]
	require.Equal(t, uint64(20_000), found.Names)
	require.Len(t, found.Unseen, 1)
	require.Contains(t, found.Unseen[0], "database is unavailable: it is away")
}

func TestAVerificationEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{"ada": free}}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := verifier(t, l, table{"ada": held("ada", 1)}, cancel).Run(ctx, all, ignore)
	require.ErrorIs(t, err, context.Canceled)
}

// Progress is told of each layer.
func TestProgress(t *testing.T) {
	t.Parallel()
	l := &layer{says: map[string]storage.Standing{"ada": free}}
	var told []verify.Findings
	_, err := verifier(t, l, table{}, nothing).Run(t.Context(), all, func(f verify.Findings) { told = append(told, f) })
	require.NoError(t, err)
	require.NotEmpty(t, told)
	require.Equal(t, uint64(1), told[len(told)-1].Names)
}
