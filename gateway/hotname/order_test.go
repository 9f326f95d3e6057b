package hotname_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
)

// A story is a read of one name at replica A, its being told to B, and its release, in
// some order of all that happens.
type story struct {
	a, b   fixed
	event  feed.Event
	settle func(storage.Standing, error)
	answer storage.Standing
	told   [][]byte
	free   bool
	sent   time.Duration
	heard  map[string]bool // which replicas know that the name is free
}

// steps are what happens, and what comes before each.
var steps = map[string]struct {
	after []string
	do    func(s *story)
}{
	"send":   {nil, func(s *story) { s.settle, s.sent = s.a.Begin(name("ada")), s.a.now }},
	"answer": {[]string{"send"}, func(s *story) { s.answer = s.row() }},
	"list":   {[]string{"answer"}, func(s *story) { s.settle(s.answer, nil) }},
	"tell":   {[]string{"list"}, func(s *story) { s.told = s.a.Told() }},
	"arrive": {[]string{"tell"}, func(s *story) { s.arrive(s.told) }},
	"again":  {[]string{"arrive"}, func(s *story) { s.arrive(s.told) }},
	"commit": {nil, func(s *story) { s.free = true }},
	"A":      {[]string{"commit"}, func(s *story) { s.a.Apply([]feed.Event{s.event}); s.heard["A"] = true }},
	"B":      {[]string{"commit"}, func(s *story) { s.b.Apply([]feed.Event{s.event}); s.heard["B"] = true }},
}

func (s *story) arrive(messages [][]byte) {
	for _, m := range messages {
		s.b.Receive(m)
	}
}

// row is what the database says.
func (s *story) row() storage.Standing {
	if s.free {
		return storage.Standing{}
	}
	return blocked(held("ada", 5))
}

// orders are all in which the steps can happen.
func orders(done []string, yield func([]string)) {
	if len(done) == len(steps) {
		yield(done)
		return
	}
	has := func(step string) bool {
		for _, one := range done {
			if one == step {
				return true
			}
		}
		return false
	}
	for step, s := range steps {
		ready := !has(step)
		for _, before := range s.after {
			ready = ready && has(before)
		}
		if ready {
			orders(append(done[:len(done):len(done)], step), yield)
		}
	}
}

func TestAnEntryAgainstAReleaseInEveryOrder(t *testing.T) {
	t.Parallel()
	unblocked := event("ada", feed.Changed, 6)
	unblocked.Cause = "UNBLOCK"
	for title, e := range map[string]feed.Event{"gone": event("ada", feed.Went, 6), "unblocked": unblocked} {
		a, b := newFixed(t, options()), newFixed(t, options())
		count, shown := 0, 0
		orders(nil, func(order []string) {
			count++
			s := &story{a: a, b: b, event: e, heard: map[string]bool{}}
			s.tell(t, title+": "+strings.Join(order, " "), order, &shown)
			a.outlive()
			b.outlive()
		})
		require.Equal(t, 168, count)
		require.Positive(t, shown, "else nothing is tested")
	}
}

// tell has a story happen, a step each half second, and judges every moment.
func (s *story) tell(t *testing.T, title string, order []string, shown *int) {
	t.Helper()
	for _, step := range order {
		steps[step].do(s)
		s.judge(t, title, shown)
		s.a.pass(500 * time.Millisecond)
		s.b.now = s.a.now
	}
	s.a.now = s.sent + time.Minute
	s.b.now = s.a.now
	require.False(t, s.a.has("ada") || s.b.has("ada"), "%s: longer than a read counts", title)
}

func (s *story) judge(t *testing.T, title string, shown *int) {
	t.Helper()
	for replica, l := range map[string]fixed{"A": s.a, "B": s.b} {
		if l.has("ada") {
			*shown++
			require.False(t, s.heard[replica], "%s: refused at %s, which knows of the release", title, replica)
		}
		require.Equal(t, l.has("ada"), l.Blocked(name("ada")))
	}
}

// A release that only one replica has heard of leaves all others, too, and keeps late
// entries off.
func TestAReleaseIsTold(t *testing.T) {
	t.Parallel()
	a, b, c := newFixed(t, options()), newFixed(t, options()), newFixed(t, options())
	a.read("ada", held("ada", 5))
	entry := a.Told()
	b.Receive(entry[0])
	a.Apply([]feed.Event{event("ada", feed.Went, 6)})
	release := a.Told()
	require.Len(t, release, 1, "the entry is not told again")
	for _, l := range []fixed{b, c} {
		l.Receive(release[0])
		l.Receive(entry[0])
		require.False(t, l.has("ada"))
	}
	b.Apply([]feed.Event{event("ada", feed.Went, 6)})
	require.Empty(t, b.Told(), "others know already")
}
