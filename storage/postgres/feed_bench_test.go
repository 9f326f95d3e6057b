package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// BenchmarkPoll compares polls with an empty prepared statement. "behind" are those
// of a reader whose position has a transaction that was open while a million rows
// came in.
func BenchmarkPoll(b *testing.B) {
	o := migrated(b, 1)
	d := o.Databases[0]
	r := open(b, o).Feeds(time.Now)[0]
	pool, err := pgxpool.New(b.Context(), d.DSN)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	insert := func(rows int) {
		execute(b, d, `INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
			SELECT 'RESERVE', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY['name.' || n], '{""}' FROM generate_series(1, $1::int) n`, rows)
	}
	measure := func(name string) {
		insert(1)
		before, err := r.Now(b.Context())
		require.NoError(b, err)
		benchPoll(b, name+"quiet", pool, r, before, 0)
		insert(1000)
		benchPoll(b, name+"1000 rows", pool, r, before, 1000)
	}
	measure("")
	long, err := pgxpool.New(b.Context(), d.DSN)
	require.NoError(b, err)
	b.Cleanup(long.Close)
	tx, err := long.Begin(b.Context())
	require.NoError(b, err)
	_, err = tx.Exec(b.Context(), addSQL, "long")
	require.NoError(b, err)
	for range 100 {
		insert(10_000)
	}
	measure("behind/")
	require.NoError(b, tx.Rollback(b.Context()))
}

// benchPoll takes turns of an empty statement and a poll, as other work on the machine
// slows both down, and gives the medians of both and their ratio.
func benchPoll(b *testing.B, name string, pool *pgxpool.Pool, r postgres.FeedReader, from feed.Position, events int) {
	b.Run(name, func(b *testing.B) {
		first, err := r.PollWhole(b.Context(), from, [16]byte{}, 1<<20)
		require.NoError(b, err)
		var empty, polls []time.Duration
		for b.Loop() {
			begun := time.Now()
			var one int
			require.NoError(b, pool.QueryRow(b.Context(), `SELECT 1`).Scan(&one))
			between := time.Now()
			whole, err := r.PollWhole(b.Context(), from, first.VshardsTag, 1<<20)
			polls, empty = append(polls, time.Since(between)), append(empty, between.Sub(begun))
			require.NoError(b, err)
			require.Len(b, whole.Events, events)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(median(empty).Microseconds()), "µs/empty")
		b.ReportMetric(float64(median(polls).Microseconds()), "µs/poll")
		b.ReportMetric(float64(median(polls))/float64(median(empty)), "x")
	})
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
