package postgres_test

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// copyRows is how many rows BenchmarkCopy copies: -copy-rows=10000000 for more.
var copyRows = flag.Int("copy-rows", 1_000_000, "rows that BenchmarkCopy copies")

// BenchmarkCopy compares a copy, taken into pages of rows, with COPY TO STDOUT of the same
// rows, thrown away. They take turns, as other work on the machine slows both down.
func BenchmarkCopy(b *testing.B) {
	o := migrated(b, 1)
	d := o.Databases[0]
	r := open(b, o).Feeds(time.Now)[0]
	execute(b, d, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, canonical, display, owner)
		SELECT hashint4(n) & 1023, 1, 2, now(), gen_random_uuid(), k, k, k, n::text
		FROM generate_series(1, $1::int) n, LATERAL (SELECT 'name.' || n AS k) k`, *copyRows)
	execute(b, d, `VACUUM ANALYZE holdings`)
	conn := connect(b, d)
	var alone, whole []time.Duration
	for b.Loop() {
		begun := time.Now()
		_, err := conn.PgConn().CopyTo(b.Context(), io.Discard, `COPY (SELECT vshard, state, key FROM holdings WHERE kind = 1) TO STDOUT`)
		require.NoError(b, err)
		between := time.Now()
		read := 0
		c, err := r.Copy(b.Context(), identifier.Username, allVshards(), func(page []feed.Row) error { read += len(page); return nil })
		whole, alone = append(whole, time.Since(between)), append(alone, between.Sub(begun))
		require.NoError(b, err)
		require.EqualValues(b, *copyRows, c.Rows)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(*copyRows)/median(alone).Seconds(), "rows/s-alone")
	b.ReportMetric(float64(*copyRows)/median(whole).Seconds(), "rows/s")
	b.ReportMetric(float64(median(alone))/float64(median(whole)), "x")
}
