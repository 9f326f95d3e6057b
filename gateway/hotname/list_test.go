package hotname_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/identifier"
)

// How long an entry counts: to the nanosecond from when its read was sent.
func TestAnEntryComesToItsEnd(t *testing.T) {
	t.Parallel()
	for title, tc := range map[string]struct {
		read storage.Standing
		want time.Duration
	}{
		"active":                   {held("ada", 1), time.Minute},
		"reserved for long":        {until("ada", 1, time.Hour), time.Minute},
		"reserved for less":        {until("ada", 1, 7*time.Second), 7 * time.Second},
		"blocked, but for the end": {blocked(until("ada", 1, -time.Hour)), time.Minute},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			l := newFixed(t, options())
			settle := l.Begin(name("ada"))
			l.pass(time.Second) // until the answer
			settle(tc.read, nil)
			l.pass(tc.want - time.Second - 1)
			got, ok := l.Get(name("ada"))
			require.True(t, ok)
			require.Equal(t, tc.read, got)
			l.pass(1)
			require.False(t, l.has("ada"))
			require.EqualValues(t, 1, l.Counters.Hits.Load())
			require.Equal(t, 1, l.Len())
			l.Expire()
			require.Zero(t, l.Len())
			require.EqualValues(t, 1, l.Counters.Expired.Load())
		})
	}
}

// A read that is over when its answer comes is of no use.
func TestALateAnswerIsNotListed(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	settle := l.Begin(name("ada"))
	l.pass(7 * time.Second)
	settle(until("ada", 1, 7*time.Second), nil)
	require.Zero(t, l.Len())
}

// What is listed has nothing that no answer needs: it may be told to others.
func TestAnEntryKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	s := held("ada", 1)
	s.Held.Identifier = identifier.Stored(identifier.Username, "ada", "àda", "Àda")
	s.Held.Owner, s.Held.Grant, s.Held.Since = "user:42", storage.Grant{1}, readAt
	l.read("ada", s)
	got, ok := l.Get(name("ada"))
	require.True(t, ok)
	require.Equal(t, &storage.Holding{Identifier: identifier.Stored(identifier.Username, "ada", "àda", ""), State: storage.Active}, got.Held)
}

func TestOnlyBlockedNamesAreBlocked(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.read("ada", held("ada", 1))
	l.read("bob", blocked(held("bob", 1)))
	require.False(t, l.Blocked(name("ada")))
	require.True(t, l.Blocked(name("bob")))
	require.False(t, l.Blocked(name("carol")))
	require.Zero(t, l.Counters.Hits.Load())
	l.pass(time.Minute)
	require.False(t, l.Blocked(name("bob")))
}

func TestPrivateKindsAreNeverListed(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.read("ada", held("ada", 1))
	_, ok := l.Get(identifier.Stored(identifier.Email, "ada", "", ""))
	require.False(t, ok)
}

// A read that failed leaves what is there; one that says that nobody has the name ends
// it, but not what came in meanwhile.
func TestOtherAnswers(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.read("ada", held("ada", 1))
	l.Begin(name("ada"))(storage.Standing{}, errAway)
	require.True(t, l.has("ada"))
	require.EqualValues(t, 1, l.Counters.Failed.Load())
	settle := l.Begin(name("ada"))
	l.Receive(l.message(held("ada", 2)))
	settle(storage.Standing{}, nil)
	require.EqualValues(t, 2, l.version("ada"))
	l.read("ada", storage.Standing{})
	require.False(t, l.has("ada"))
	require.EqualValues(t, 2, l.Counters.Free.Load())
}

// A full list keeps what has the most life left, whatever comes first.
func TestAFullListKeepsWhatIsReadLast(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	list := keys(entries + 20)
	for i, key := range list {
		l.read(key, until(key, 1, time.Duration(i+1)*100*time.Millisecond))
		l.Receive(l.Encode(held(key, 1), time.Millisecond))
		require.LessOrEqual(t, l.Len(), entries)
	}
	require.Equal(t, entries, l.Len())
	for i, key := range list {
		require.Equal(t, i >= 20, l.has(key), key)
	}
	l.read("late", until("late", 1, time.Second))
	require.False(t, l.has("late"), "it has the least life left")
	l.Receive(l.message(held(list[20], 1)))
	l.read("other", until("other", 1, 2150*time.Millisecond))
	require.True(t, l.has(list[20]), "it was read again")
	require.False(t, l.has("other"), "as it has less than %s", list[21])
	l.read("other", until("other", 1, 2250*time.Millisecond))
	require.True(t, l.has("other"))
	require.False(t, l.has(list[21]))
	require.Positive(t, l.Counters.Evicted.Load())
}

// Names that share chains of the table are found while others come and go.
func TestAListFindsWhatItHas(t *testing.T) {
	t.Parallel()
	o := options()
	o.Entries = 1 << 12
	l := newFixed(t, o)
	list := keys(3 << 10)
	for _, key := range list {
		l.read(key, held(key, 1))
	}
	for i, key := range list {
		if i%3 == 0 {
			l.read(key, storage.Standing{})
		} else if i%3 == 1 {
			l.read(key, held(key, 2))
		}
	}
	for i, key := range list {
		require.EqualValues(t, []int64{0, 2, 1}[i%3], l.version(key), key)
	}
	require.Equal(t, 2<<10, l.Len())
	l.pass(time.Minute)
	l.Expire()
	require.Zero(t, l.Len())
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := hotname.New(hotname.Options{})
	for _, want := range []string{"room for one", "hot from 1", "clock"} {
		require.ErrorContains(t, err, want)
	}
	o := options()
	o.Clock = func() time.Duration { return 0 }
	o.Threshold = hotname.MaxThreshold
	_, err = hotname.New(o)
	require.NoError(t, err)
	o.Threshold++
	_, err = hotname.New(o)
	require.Error(t, err)
	require.False(t, strings.Contains(err.Error(), "\n"), "only one thing is wrong")
}
