package verify

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Who asks a replica that hangs is told so in the end.
func TestAReplicaThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		client := &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil },
		}}
		began := time.Now()
		_, err := Ask(t.Context(), client, "host:1", Request{Share: 1}, func(Findings) {})
		require.ErrorIs(t, err, errSilent)
		require.Equal(t, silence, time.Since(began))
	})
}

// A verification that has nothing to say for long gives signs of life.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lines := make(chan message)
		go func() {
			defer close(lines)
			time.Sleep(3*beat + beat/2)
			lines <- message{Report: &Report{}}
		}()
		w := httptest.NewRecorder()
		send(w, lines, func() {})
		var got []message
		for decoder := json.NewDecoder(w.Body); decoder.More(); {
			var m message
			require.NoError(t, decoder.Decode(&m))
			got = append(got, m)
		}
		require.Len(t, got, 4)
		require.NotNil(t, got[3].Report)
	})
}
