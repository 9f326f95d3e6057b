package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	okAnswer      = "HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: 11\r\nVary: Accept\r\n\r\n{\"data\": 1}"
	refusedAnswer = "HTTP/1.1 400 Bad Request\r\ncontent-length:2\r\n\r\n{}"
)

// Answers come in pieces of any size, and the next one may come with the last.
func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for name, split := range map[string]func(io.Reader) io.Reader{
		"whole":             func(r io.Reader) io.Reader { return r },
		"byte by byte":      iotest.OneByteReader,
		"half by half":      iotest.HalfReader,
		"end with the last": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := bufio.NewReaderSize(split(strings.NewReader(okAnswer+refusedAnswer+okAnswer)), 64)
			for _, want := range []struct {
				status int
				body   string
			}{{200, `{"data": 1}`}, {400, "{}"}, {200, `{"data": 1}`}} {
				status, body, err := readAnswer(in)
				require.NoError(t, err)
				require.Equal(t, want.status, status)
				require.Equal(t, want.body, string(body))
			}
			_, _, err := readAnswer(in)
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestReadAnswerRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no HTTP":          {"+OK\r\n\r\n", "status line"},
		"no status":        {"HTTP/1.1 \r\n\r\n", "status line"},
		"status no digits": {"HTTP/1.1 abc\r\n\r\n", "invalid syntax"},
		"no length":        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "no Content-Length"},
		"length no number": {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "invalid syntax"},
		"body cut off":     {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "EOF"},
		"header cut off":   {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", "EOF"},
		"body too large":   {"HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n" + strings.Repeat("x", 65), "buffer full"},
		"line too long":    {"HTTP/1.1 200 OK\r\nServer: " + strings.Repeat("x", 65) + "\r\nContent-Length: 0\r\n\r\n", "buffer full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAnswer(bufio.NewReaderSize(strings.NewReader(tc.text), 64))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// echoServer serves as the process that a check is compared with does.
func echoServer(t *testing.T) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(handleEcho))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestExchangeKeepsItsConnection(t *testing.T) {
	t.Parallel()
	clients, err := dial(t.Context(), echoServer(t), 1, time.Minute)
	require.NoError(t, err)
	defer func() { require.NoError(t, hangUp(clients)) }()
	asked := share{of: []byte(`"available":true`)}
	free := func(index uint64) source {
		return func(body, wanted []byte) ([]byte, []byte) { return appendCheck(body, wanted, free, index, true) }
	}
	c := caller{client: clients[0], seen: asked.count}
	for index := range uint64(3) {
		c.next = free(index)
		require.NoError(t, c.exchange())
	}
	require.InDelta(t, 1, asked.take(), 0)
	c.next = func(body, wanted []byte) ([]byte, []byte) {
		body, _ = free(3)(body, nil)
		_, wanted = free(4)(nil, wanted)
		return body, wanted
	}
	require.ErrorAs(t, c.exchange(), new(callError), "another name")
	c.next = func(body, wanted []byte) ([]byte, []byte) { return append(body, '{'), wanted }
	require.ErrorAs(t, c.exchange(), new(callError), "another status")
	require.Zero(t, asked.take())
	c.next = free(5)
	require.NoError(t, c.exchange())
}

func TestShare(t *testing.T) {
	t.Parallel()
	s := share{of: []byte("a")}
	for _, answer := range []string{"abc", "b", "bca", "c"} {
		s.count([]byte(answer))
	}
	require.InDelta(t, 0.5, s.take(), 0)
	require.InDelta(t, 0, s.take(), 0, "it was taken")
}

func TestDialGivesUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.Listener.Addr().String()
	server.Close()
	_, err := dial(t.Context(), address, 1, time.Minute)
	require.Error(t, err)
}
