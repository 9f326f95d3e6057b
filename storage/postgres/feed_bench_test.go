package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
	s := open(b, o)
	r, pool := s.Feeds(time.Now)[0], postgres.Pool(s)
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
	tx, err := connect(b, d).Begin(b.Context())
	require.NoError(b, err)
	_, err = tx.Exec(b.Context(), addSQL, "long")
	require.NoError(b, err)
	for range 100 {
		insert(10_000)
	}
	measure("behind/")
	require.NoError(b, tx.Rollback(b.Context()))
}

// benchPoll takes turns of an empty statement, the same under the settings of every read
// of the store, and a poll, as other work on the machine slows all down. It gives the
// medians, and the ratios of a poll to the other two.
func benchPoll(b *testing.B, name string, pool *pgxpool.Pool, r postgres.FeedReader, from feed.Position, events int) {
	b.Run(name, func(b *testing.B) {
		first, err := r.PollWhole(b.Context(), from, [16]byte{}, 1<<20)
		require.NoError(b, err)
		var empty, reads, polls []time.Duration
		for b.Loop() {
			begun := time.Now()
			var one int
			require.NoError(b, pool.QueryRow(b.Context(), `SELECT 1`).Scan(&one))
			set := time.Now()
			var batch pgx.Batch
			batch.Queue(postgres.ReadLimits)
			batch.Queue(`SELECT 1`)
			require.NoError(b, pool.SendBatch(b.Context(), &batch).Close())
			between := time.Now()
			whole, err := r.PollWhole(b.Context(), from, first.VshardsTag, 1<<20)
			polls, reads, empty = append(polls, time.Since(between)), append(reads, between.Sub(set)), append(empty, set.Sub(begun))
			require.NoError(b, err)
			require.Len(b, whole.Events, events)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(median(empty).Microseconds()), "µs/empty")
		b.ReportMetric(float64(median(polls).Microseconds()), "µs/poll")
		b.ReportMetric(float64(median(polls))/float64(median(empty)), "x-empty")
		b.ReportMetric(float64(median(polls))/float64(median(reads)), "x-read")
	})
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
