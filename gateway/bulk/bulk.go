package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"namegate/storage"
	"namegate/storage/identifier"
)

// pieceSize is how many lines go to the store at once.
const pieceSize = 5000

// Parser gives the canonical form of a value, or *identifier.FormError.
type Parser interface {
	Parse(kind identifier.Kind, raw string) (identifier.Identifier, error)
}

// Report hears how an import goes, from the goroutine that runs it.
type Report interface {
	// Refused is called for each line that does not go in.
	Refused(Refusal)
	// Progress is called after each piece.
	Progress(Summary)
}

// Refusal is why a line did not go in.
type Refusal struct {
	Number int    // of the line, from 1
	Text   string // the line, or its beginning where it is too long
	Reason string // English, for people
}

// Summary counts lines that are not blank.
type Summary struct {
	Added   int // held since this import
	Present int // held before, just as the line says
	Refused int
}

// Lines is how many lines have been dealt with.
func (s Summary) Lines() int { return s.Added + s.Present + s.Refused }

// Import takes each line of in, `name` or `name,owner`, over as an Active
// holding; blank lines are skipped and gzip is unpacked. A line that breaks the
// rules or is held otherwise is refused, and the rest goes on. The summary counts
// what was done, also beside an error. It fails with the errors of
// storage.Importer and those of reading.
func Import(ctx context.Context, store storage.Importer, parser Parser, in io.Reader, report Report) (Summary, error) {
	lines, err := newLines(interruptible{ctx, in})
	if err != nil {
		return Summary{}, fmt.Errorf("read: %w", err)
	}
	i := importer{store: store, parser: parser, report: report, lines: lines}
	for more := true; more; {
		if more, err = i.gather(); err != nil {
			return i.sum, err
		}
		if err := i.write(ctx); err != nil {
			return i.sum, err
		}
	}
	return i.sum, nil
}

// importer is one import under way.
type importer struct {
	store  storage.Importer
	parser Parser
	report Report
	lines  *lines
	sum    Summary

	piece []storage.ImportLine // read and not yet written
	texts []string             // of the lines of piece
}

// gather reads lines until a piece is full; false when there are no more.
func (i *importer) gather() (more bool, err error) {
	for len(i.piece) < pieceSize {
		text, err := i.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case errors.Is(err, errLongLine):
			i.refuse(i.lines.number, text, err.Error())
		case err != nil:
			return false, fmt.Errorf("read after line %d: %w", i.lines.number, err)
		case text != "":
			i.take(text)
		}
	}
	return true, nil
}

// take adds a line to the piece, or refuses it.
func (i *importer) take(text string) {
	line, err := parseLine(i.parser, i.lines.number, text)
	if err != nil {
		i.refuse(i.lines.number, text, err.Error())
		return
	}
	i.piece, i.texts = append(i.piece, line), append(i.texts, text)
}

// write hands the piece to the store.
func (i *importer) write(ctx context.Context) error {
	outcomes, err := i.store.Import(ctx, i.piece)
	if err != nil {
		return fmt.Errorf("write the lines up to %d: %w", i.lines.number, err)
	}
	for n, outcome := range outcomes {
		switch {
		case outcome.Refused != "":
			i.refuse(outcome.Number, i.texts[n], outcome.Refused)
		case outcome.Added:
			i.sum.Added++
		default:
			i.sum.Present++
		}
	}
	i.piece, i.texts = i.piece[:0], i.texts[:0]
	i.report.Progress(i.sum)
	return nil
}

func (i *importer) refuse(number int, text, reason string) {
	i.sum.Refused++
	i.report.Refused(Refusal{Number: number, Text: text, Reason: reason})
}
