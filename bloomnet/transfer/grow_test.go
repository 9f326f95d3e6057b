package transfer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer/wire"
)

// However long a blob is said to be, memory is taken only for what came: at most as much
// again, and firstPiece at first.
func TestGrow(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, wire.MaxData, firstPiece, firstPiece + 1, MaxBlob} {
		var data []byte
		for len(data) < length {
			n := min(length-len(data), wire.MaxData)
			had := len(data)
			data = grow(data, n, length)
			require.Len(t, data, had)
			require.Equal(t, byte(had>>18), data[:had+1][max(0, had-1)], "what was there still is")
			require.GreaterOrEqual(t, cap(data), len(data)+n)
			require.LessOrEqual(t, cap(data), min(length, max(firstPiece, 2*len(data))))
			data = data[:len(data)+n]
			data[len(data)-1] = byte(len(data) >> 18)
		}
	}
}
