package wire_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer/wire"
)

// A frame that can be read is written again byte for byte.
func FuzzRead(f *testing.F) {
	for _, g := range golden {
		frame, err := hex.DecodeString(g.frame)
		require.NoError(f, err)
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, payload, err := wire.Read(bytes.NewReader(b), make([]byte, wire.MaxData))
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, wire.Write(&again, kind, payload))
		require.Equal(t, b[:again.Len()], again.Bytes())
	})
}

// A message that can be read has one form, but for a hello of another version.
func FuzzMessages(f *testing.F) {
	for _, g := range golden {
		f.Add(g.payload)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := wire.ParseHello(b); err == nil && h.Version == wire.Version {
			require.Equal(t, b, h.Append(nil))
		}
		if q, err := wire.ParseRequest(b); err == nil {
			require.Equal(t, b, q.Append(nil))
		}
		if h, err := wire.ParseHead(b); err == nil {
			require.Equal(t, b, h.Append(nil))
		}
		if d, err := wire.ParseBusy(b); err == nil {
			require.Equal(t, b, wire.AppendBusy(nil, d))
		}
	})
}
