package member_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

// Equal lengths: memberlist's queue gives some of them the place of others.
func TestQueueSendsEachMessageItsNumberOfTimes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 4, 300, 4096} {
		q := member.NewQueue()
		for i := range n {
			require.NoError(t, q.Put(member.Normal, "", 0, 0, 8, string(text(i))))
		}
		times := map[string]int{}
		for taken := q.Take(3, 100); taken != nil; taken = q.Take(3, 100) {
			for _, message := range taken {
				times[message]++
			}
		}
		require.Len(t, times, n)
		for message, sent := range times {
			require.Equal(t, 8, sent, message)
		}
	}
}

func TestQueueNeverGivesMoreThanFits(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	for i := range 100 {
		require.NoError(t, q.Put(member.Class(i%3+1), "", 0, 0, 5, strings.Repeat("x", i*11)))
	}
	for limit := range 1400 {
		size := 0
		for _, message := range q.Take(3, limit) {
			size += 3 + len(message)
		}
		require.LessOrEqual(t, size, limit)
	}
}

func TestQueueGivesFewParts(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	for range 300 {
		require.NoError(t, q.Put(member.Normal, "", 0, 0, 1, "x"))
	}
	require.Len(t, q.Take(3, 1<<20), member.MaxParts)
	require.Len(t, q.Take(3, 1<<20), 100)
	require.Empty(t, q.Take(3, 1<<20))
}

func TestQueueOrder(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	for _, message := range []struct {
		class member.Class
		text  string
	}{{member.Bulk, "b1"}, {member.Normal, "n1"}, {member.Normal, "n2"}, {member.Urgent, "u1"}} {
		require.NoError(t, q.Put(message.class, "", 0, 0, 2, message.text))
	}
	require.Equal(t, []string{"u1", "n1", "n2", "b1"}, q.Take(0, 100))
	require.Equal(t, []string{"u1", "n1"}, q.Take(0, 5), "in turn")
	require.Equal(t, []string{"n2", "b1"}, q.Take(0, 100))
	require.Empty(t, q.Take(0, 100))
}

func TestQueueTakesTurns(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	for i := range 4 {
		require.NoError(t, q.Put(member.Normal, "", 0, 0, 2, fmt.Sprint(i)))
	}
	require.Equal(t, []string{"0", "1", "2"}, q.Take(0, 3))
	require.Equal(t, []string{"3", "0", "1"}, q.Take(0, 3))
	require.Equal(t, []string{"2", "3"}, q.Take(0, 3))
}

func TestQueueReplacesByKey(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	require.NoError(t, q.Put(member.Bulk, "k", 1, 5, 2, "old"))
	require.NoError(t, q.Put(member.Bulk, "other", 1, 6, 1, "other"))
	require.Equal(t, []string{"old", "other"}, q.Take(0, 100))
	require.NoError(t, q.Put(member.Bulk, "k", 1, 7, 2, "new"))
	require.NoError(t, q.Put(member.Bulk, "k", 1, 6, 2, "late"))
	require.Equal(t, []string{"new"}, q.Take(0, 100))
	require.NoError(t, q.Put(member.Bulk, "k", 2, 1, 2, "next boot"))
	require.Equal(t, []string{"next boot"}, q.Take(0, 100), "sent as often as any new one")
	require.Equal(t, []string{"next boot"}, q.Take(0, 100))
	require.Empty(t, q.Take(0, 100))
	require.NoError(t, q.Put(member.Bulk, "k", 1, 1, 1, "after all"))
	require.Equal(t, []string{"after all"}, q.Take(0, 100), "what has been sent is forgotten")
}

func TestAFullQueueDropsTheLeastUrgent(t *testing.T) {
	t.Parallel()
	q := member.NewQueue()
	require.NoError(t, q.Put(member.Bulk, "k", 0, 1, 1, "bulk 1"))
	require.NoError(t, q.Put(member.Bulk, "", 0, 0, 1, "bulk 2"))
	for i := range member.MaxQueued - 2 {
		require.NoError(t, q.Put(member.Normal, "", 0, 0, 1, string(text(i))))
	}
	require.Zero(t, q.Drops())
	require.NoError(t, q.Put(member.Bulk, "", 0, 0, 1, "bulk 3"))
	require.NoError(t, q.Put(member.Urgent, "", 0, 0, 1, "urgent"))
	require.EqualValues(t, 2, q.Drops())
	require.NoError(t, q.Put(member.Normal, "", 0, 0, 1, "instead of bulk 3"))
	require.ErrorIs(t, q.Put(member.Bulk, "", 0, 0, 1, "bulk 4"), member.ErrFull)
	require.NoError(t, q.Put(member.Normal, "", 0, 0, 1, "instead of 0"))
	require.EqualValues(t, 4, q.Drops())
	require.Equal(t, []string{"urgent", "message 00001"}, q.Take(0, 20))
}

func TestTransmits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 6, 1: 6, 3: 8, 10: 9, 50: 10, 100: 11} {
		require.Equal(t, want, member.Transmits(n), n)
	}
}
