package transfer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever has a key may call itself what it likes, and is not remembered for that.
func TestForeignPeersAreBounded(t *testing.T) {
	t.Parallel()
	told := 0
	f := foreigners{report: func(error) { told++ }, told: map[string]bool{}}
	for range 2 {
		for i := range maxForeign + 10 {
			f.tell(&MismatchError{Version: 1, Replica: fmt.Sprint(i)})
		}
	}
	require.Equal(t, maxForeign, told)
	require.Len(t, f.told, maxForeign)
}
