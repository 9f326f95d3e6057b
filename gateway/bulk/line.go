package bulk

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"namegate/storage"
	"namegate/storage/identifier"
)

// maxLine is the longest line that is read, in bytes with its end. A good one has
// far fewer; it is also how much is read at once.
const maxLine = 64 << 10

// errLongLine says that a line does not fit.
var errLongLine = fmt.Errorf("line is longer than %d bytes", maxLine)

// newLines reads lines from in, which is unpacked when its content is gzip.
func newLines(in io.Reader) (*lines, error) {
	buffered := bufio.NewReaderSize(in, maxLine)
	packed, err := begins(buffered, "\x1f\x8b")
	if err != nil {
		return nil, err
	}
	if packed {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		buffered = bufio.NewReaderSize(unpacked, maxLine)
	}
	if marked, err := begins(buffered, byteOrderMark); err != nil {
		return nil, err
	} else if marked {
		_, err = buffered.Discard(len(byteOrderMark))
		return &lines{in: buffered}, err
	}
	return &lines{in: buffered}, nil
}

// byteOrderMark is U+FEFF in UTF-8, which some editors and exports begin a file
// with (RFC 3629, section 6). It is no part of the first name.
const byteOrderMark = "\ufeff"

// begins says whether what is to be read begins with a prefix.
func begins(in *bufio.Reader, prefix string) (bool, error) {
	start, err := in.Peek(len(prefix))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(start) == prefix, err
}

// lines reads one line after another.
type lines struct {
	in     *bufio.Reader
	number int // of the line read last, from 1
}

// next gives the next line without its end, io.EOF after the last one, or
// errLongLine with the beginning of a line that it then skips.
func (l *lines) next() (string, error) {
	text, err := l.in.ReadSlice('\n')
	if len(text) == 0 && err != nil {
		return "", err
	}
	l.number++
	line := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return line, l.skip()
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	return line, nil
}

// skip reads to the end of a line.
func (l *lines) skip() error {
	for {
		_, err := l.in.ReadSlice('\n')
		switch {
		case err == nil || errors.Is(err, io.EOF):
			return errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// parseLine reads `name` or `name,owner`. Its error is the reason to refuse the
// line, for people.
func parseLine(parser Parser, number int, text string) (storage.ImportLine, error) {
	name, owner, owned := strings.Cut(text, ",")
	id, err := parser.Parse(identifier.Username, name)
	if form, ok := errors.AsType[*identifier.FormError](err); ok {
		return storage.ImportLine{}, errors.New("name " + broken(form.Violations))
	}
	if err != nil {
		return storage.ImportLine{}, err
	}
	if owned {
		if err := storage.CheckOwner(owner); err != nil {
			return storage.ImportLine{}, fmt.Errorf("owner %w", err)
		}
	}
	return storage.ImportLine{Number: number, Identifier: id, Owner: owner}, nil
}

// broken names every rule that a value breaks.
func broken(violations []identifier.Violation) string {
	messages := make([]string, len(violations))
	for i, v := range violations {
		messages[i] = v.Message
	}
	return strings.Join(messages, ", ")
}
