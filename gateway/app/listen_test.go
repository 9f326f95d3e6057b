package app

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func listenLocally(t *testing.T) net.Listener {
	t.Helper()
	l, err := listen(t.Context(), "--http", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

func TestAnAddressInUseNamesItsFlag(t *testing.T) {
	t.Parallel()
	l := listenLocally(t)
	defer l.Close()
	_, err := listen(t.Context(), "--admin", l.Addr().String())
	require.ErrorContains(t, err, "--admin "+l.Addr().String()+": another program listens on this address")
	_, err = listen(t.Context(), "--admin", "127.0.0.1:http-nonsense")
	require.ErrorContains(t, err, "--admin")
}

// slow is a server whose handler says that it has begun and answers when told to.
type slow struct {
	*server
	url      string
	begun    chan struct{}
	proceed  chan struct{}
	answered chan error
}

func newSlow(t *testing.T) slow {
	t.Helper()
	s := slow{begun: make(chan struct{}), proceed: make(chan struct{}), answered: make(chan error, 1)}
	l := listenLocally(t)
	s.url = "http://" + l.Addr().String()
	s.server = serve(l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(s.begun)
		select {
		case <-s.proceed:
		case <-r.Context().Done():
		}
	}), slog.New(slog.DiscardHandler), make(chan error, 1))
	go func() {
		response, err := http.Get(s.url)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		s.answered <- err
	}()
	<-s.begun
	return s
}

func TestAStopAnswersWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newSlow(t)
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(t.Context()) }()
	<-s.done // it takes no more requests
	close(s.proceed)
	require.NoError(t, <-s.answered)
	require.NoError(t, <-stopped)
}

func TestAStopDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	s := newSlow(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.stop(over), context.Canceled)
	require.Error(t, <-s.answered, "the connection is cut")
}

func TestAListenerThatFailsIsReported(t *testing.T) {
	t.Parallel()
	l := listenLocally(t)
	failed := make(chan error, 1)
	s := serve(l, http.NotFoundHandler(), slog.New(slog.DiscardHandler), failed)
	require.NoError(t, l.Close())
	require.ErrorContains(t, <-failed, l.Addr().String())
	require.NoError(t, s.stop(t.Context()))
}
