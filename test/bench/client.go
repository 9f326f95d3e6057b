package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// grace is how long an answer may take beyond the end of a run.
const grace = 10 * time.Second

// client is one connection that is kept alive, for one request at a time. It
// knows just enough of HTTP/1.1, as it works on the cores of the server it measures.
type client struct {
	net.Conn
	in      *bufio.Reader
	head    string // of each request, up to the value of Content-Length
	request []byte
}

// dial opens connections that last for a run of a given length.
func dial(ctx context.Context, address string, count int, length time.Duration) ([]*client, error) {
	clients := make([]*client, 0, count)
	var dialer net.Dialer
	for range count {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			clients = append(clients, newClient(conn, address))
			err = conn.SetDeadline(time.Now().Add(length + grace))
		}
		if err != nil {
			return nil, errors.Join(err, hangUp(clients))
		}
	}
	return clients, nil
}

func newClient(conn net.Conn, host string) *client {
	return &client{
		Conn: conn,
		in:   bufio.NewReader(conn),
		head: "POST /graphql HTTP/1.1\r\nHost: " + host + "\r\nAccept: application/graphql-response+json\r\n" +
			"Content-Type: application/json\r\nContent-Length: ",
	}
}

func hangUp(clients []*client) error {
	var errs []error
	for _, c := range clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// post sends a body and gives status and body of the answer, which is valid
// until the next post.
func (c *client) post(body []byte) (status int, answer []byte, err error) {
	c.request = append(c.request[:0], c.head...)
	c.request = strconv.AppendInt(c.request, int64(len(body)), 10)
	c.request = append(c.request, "\r\n\r\n"...)
	c.request = append(c.request, body...)
	if _, err := c.Write(c.request); err != nil {
		return 0, nil, err
	}
	return readAnswer(c.in)
}

// readAnswer reads one response, which must say its length and fit into the
// reader's buffer. The body is valid until the next read.
func readAnswer(in *bufio.Reader) (status int, body []byte, err error) {
	if status, err = readStatus(in); err != nil {
		return 0, nil, err
	}
	length, err := readLength(in)
	if err != nil {
		return 0, nil, err
	}
	if body, err = in.Peek(length); err != nil {
		return 0, nil, fmt.Errorf("read body of %d bytes: %w", length, err)
	}
	_, err = in.Discard(length) // what was peeked at stays in the buffer
	return status, body, err
}

func readStatus(in *bufio.Reader) (int, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, fmt.Errorf("read status line: %w", err)
	}
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, fmt.Errorf("status line is %q", line)
	}
	return strconv.Atoi(string(rest[:3]))
}

// readLength reads the header, of which only the length matters.
func readLength(in *bufio.Reader) (int, error) {
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, fmt.Errorf("read header: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("response has no Content-Length")
	}
	return length, nil
}
