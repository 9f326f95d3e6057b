package postgres

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Several steps of one request may meet in one batch. The one row that stands
// for them must be that of the step which has won, else its outcome would be lost.
func TestTheStepThatHasWonStandsForItsRequest(t *testing.T) {
	t.Parallel()
	key := storage.NewRequestKey(storage.Anonymous, "one request")
	name := identifier.Stored(identifier.Username, "a", "a", "a")
	asks := record{key: key}
	hasWon := record{key: key, won: name, grant: storage.Grant{2}, since: time.Unix(1, 0), expireAt: time.Unix(2, 0)}
	for _, batch := range [][]record{
		{asks, hasWon},
		{hasWon, asks},
	} {
		b, err := newRecordBatch(batch, new(ownership))
		require.NoError(t, err)
		require.Equal(t, []record{hasWon}, b.records)
		require.Len(t, b.results(), 2)
	}
}
