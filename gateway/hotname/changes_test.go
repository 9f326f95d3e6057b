package hotname_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// Any change that is newer than what is listed ends it, told once or again.
func TestChangesEndAnEntry(t *testing.T) {
	t.Parallel()
	for title, tc := range map[string]struct {
		event    feed.Event
		want     bool // whether the entry stays
		released uint64
	}{
		"gone":            {event("ada", feed.Went, 6), false, 1},
		"changed":         {event("ada", feed.Changed, 6), false, 0},
		"came":            {event("ada", feed.Came, 6), false, 0},
		"gone before":     {event("ada", feed.Went, 4), true, 0},
		"changed before":  {event("ada", feed.Changed, 4), true, 0},
		"another name":    {event("bob", feed.Went, 6), true, 0},
		"another kind":    {feed.Event{Kind: identifier.Email, Key: "ada", Change: feed.Went, Epoch: 1, ID: 6}, true, 0},
		"of an old epoch": {feed.Event{Kind: identifier.Username, Key: "ada", Change: feed.Went, ID: 6}, true, 0},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			l := newFixed(t, options())
			l.read("ada", held("ada", 5))
			l.Told()
			for range 2 {
				l.Apply([]feed.Event{tc.event})
				require.Equal(t, tc.want, l.has("ada"))
			}
			require.Len(t, l.Told(), int(tc.released), "others are told of a release, once")
			require.Equal(t, tc.released, l.Counters.Released.Load())
			require.Equal(t, !tc.want, l.Counters.Released.Load()+l.Counters.Changed.Load() == 1)
		})
	}
}

// After a change, what was read after it is listed again, though its version is lower
// than the event's; after a release such a one is only taken from this replica itself.
func TestWhatIsReadAfterAChangeCounts(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.Apply([]feed.Event{event("ada", feed.Changed, 6), event("bob", feed.Went, 6)})
	l.Receive(l.message(held("ada", 5)))
	require.True(t, l.has("ada"))
	l.Receive(l.message(held("bob", 5)))
	require.False(t, l.has("bob"))
	l.read("bob", held("bob", 5))
	require.True(t, l.has("bob"))
	l.Apply([]feed.Event{event("bob", feed.Went, 6)})
	require.False(t, l.has("bob"))
}

// What is being read when a change comes in may be from before it.
func TestAReadIsOvertaken(t *testing.T) {
	t.Parallel()
	for title, overtake := range map[string]func(l fixed){
		"by a release":         func(l fixed) { l.Apply([]feed.Event{event("ada", feed.Went, 6)}) },
		"by another's release": func(l fixed) { l.Receive(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 6})) },
		"by a change":          func(l fixed) { l.Apply([]feed.Event{event("ada", feed.Changed, 6)}) },
		"by what is missed":    func(l fixed) { l.Forget() },
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			l := newFixed(t, options())
			settle := l.Begin(name("ada"))
			other := l.Begin(name("bob"))
			overtake(l)
			settle(held("ada", 5), nil)
			require.False(t, l.has("ada"))
			require.EqualValues(t, 1, l.Counters.Overtaken.Load())
			l.read("ada", held("ada", 5))
			require.True(t, l.has("ada"), "what is read anew counts")
			other(held("bob", 5), nil)
			require.Equal(t, title != "by what is missed", l.has("bob"))
		})
	}
}

// When changes may have been missed, nothing is known; what is over stays over.
func TestForget(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for _, key := range keys(50) {
		l.read(key, held(key, 1))
	}
	l.Apply([]feed.Event{event("ada", feed.Went, 6)})
	l.Forget()
	for _, key := range keys(50) {
		require.False(t, l.has(key))
	}
	require.Zero(t, l.Len())
	l.Receive(l.message(held("ada", 5)))
	require.Zero(t, l.Len())
	l.read("name1", held("name1", 1))
	require.Equal(t, 1, l.Len())
}

// A release is remembered for longer than any copy of what it ended counts, and then
// forgotten.
func TestReleasesAreRemembered(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.pass(hotname.ReleaseLife - time.Second)
	l.Apply([]feed.Event{event("ada", feed.Went, 6)})
	for range 60 * 2 {
		l.Expire()
		l.Receive(l.message(held("ada", 5)))
		require.False(t, l.has("ada"))
		l.pass(time.Second)
	}
	l.pass(2 * hotname.ReleaseLife)
	l.Expire()
	l.Expire()
	l.pass(hotname.ReleaseLife)
	l.Expire()
	require.Zero(t, l.Remembered())
}

// An import, and a sweep, are many changes; memory for them is bounded.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.read("name7", held("name7", 1))
	var came, went []feed.Event
	for i := range 10_000 {
		came = append(came, event(fmt.Sprint("name", i), feed.Came, int64(2*i+2)))
		went = append(went, event(fmt.Sprint("name", i), feed.Went, int64(2*i+3)))
	}
	l.Apply(came)
	require.False(t, l.has("name7"))
	require.Zero(t, l.Remembered())
	l.Apply(went)
	l.Apply(went)
	require.LessOrEqual(t, l.Remembered(), 2*entries*hotname.ReleasesPerEntry)
	require.Greater(t, l.Remembered(), entries*hotname.ReleasesPerEntry)
	l.Receive(l.message(held("name9999", 2)))
	require.False(t, l.has("name9999"), "the last ones are known")
}
