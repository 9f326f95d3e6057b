package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"namegate/storage"
	"namegate/storage/feed"
)

// copyPageSize is how many bytes of rows make a page.
const copyPageSize = 64 << 10

// copyRows takes rows of vshard, state and key in the binary form of COPY, and gives
// them on in pages.
type copyRows struct {
	page    func([]feed.Row) error
	refused error // what page failed with
	begun   bool
	ended   bool
	buffer  []byte
	rows    []feed.Row
	count   int64
}

// copySignature begins the binary form of COPY; flags and the length of an extension
// follow, both 0, of 4 bytes each.
const (
	copySignature = "PGCOPY\n\xff\r\n\x00"
	copyHeader    = copySignature + "\x00\x00\x00\x00\x00\x00\x00\x00"
)

// A row is: number of columns, vshard, state and key, each of the latter after its
// length. Up to the key all have one length.
const copyRowHead = 2 + (4 + 2) + (4 + 2) + 4

// copyRowBegin is what all rows have in their first bytes: three columns, and the first of 2 bytes.
var copyRowBegin = []byte{0, 3, 0, 0, 0, 2}

// maxCopyRow bounds the memory for one row.
const maxCopyRow = 1 << 20

var errCopyBytes = errors.New("rows of a copy have a form that is not known")

// Write takes what the server has sent, cut anywhere.
func (c *copyRows) Write(b []byte) (int, error) {
	if len(c.buffer)+len(b) > copyPageSize+maxCopyRow {
		return 0, errCopyBytes
	}
	c.buffer = append(c.buffer, b...)
	if len(c.buffer) < copyPageSize {
		return len(b), nil
	}
	return len(b), c.give()
}

// end gives what is left. The form has an end of its own.
func (c *copyRows) end() error {
	if err := c.give(); err != nil {
		return err
	}
	if !c.ended || len(c.buffer) > 0 {
		return errCopyBytes
	}
	return nil
}

// give gives the whole rows in the buffer on.
func (c *copyRows) give() error {
	rest := c.buffer
	if !c.begun {
		if !bytes.HasPrefix(rest, []byte(copyHeader)) {
			return errCopyBytes
		}
		c.begun, rest = true, rest[len(copyHeader):]
	}
	all := string(rest) // the one copy that the keys share
	c.rows = c.rows[:0]
	for {
		n, err := c.row(rest, all[len(all)-len(rest):])
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	c.buffer = append(c.buffer[:0], rest...)
	if len(c.rows) == 0 {
		return nil
	}
	c.count += int64(len(c.rows))
	c.refused = c.page(c.rows)
	return c.refused
}

// row takes the row at the begin of b, which text has as a string, and gives its
// length; 0 where it is not whole.
func (c *copyRows) row(b []byte, text string) (int, error) {
	if c.ended {
		return 0, nil
	}
	if bytes.HasPrefix(b, []byte{0xff, 0xff}) {
		c.ended = true
		return 2, nil
	}
	if len(b) < copyRowHead {
		return 0, nil
	}
	length := int(int32(binary.BigEndian.Uint32(b[copyRowHead-4:])))
	if !bytes.HasPrefix(b, copyRowBegin) || binary.BigEndian.Uint32(b[8:]) != 2 || length < 0 || length > maxCopyRow-copyRowHead {
		return 0, fmt.Errorf("%w: row %d", errCopyBytes, c.count+int64(len(c.rows)))
	}
	end := copyRowHead + length
	if len(b) < end {
		return 0, nil
	}
	c.rows = append(c.rows, feed.Row{
		Vshard: storage.Vshard(binary.BigEndian.Uint16(b[6:])),
		State:  storage.State(binary.BigEndian.Uint16(b[12:])),
		Key:    text[copyRowHead:end],
	})
	return end, nil
}
