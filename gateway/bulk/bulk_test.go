package bulk_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/bulk"
	"namegate/storage"
	"namegate/storage/identifier"
)

// fakeStore remembers owners by name. A name under another owner is refused.
type fakeStore struct {
	owners  map[string]string
	pieces  []int
	failure error
}

func (s *fakeStore) Import(_ context.Context, lines []storage.ImportLine) ([]storage.ImportOutcome, error) {
	if s.failure != nil {
		return nil, s.failure
	}
	s.pieces = append(s.pieces, len(lines))
	outcomes := make([]storage.ImportOutcome, len(lines))
	for i, line := range lines {
		owner, there := s.owners[line.Identifier.Key()]
		outcomes[i] = storage.ImportOutcome{Number: line.Number, Added: !there}
		if there && owner != line.Owner {
			outcomes[i].Refused = "has another owner"
		}
		if !there {
			s.owners[line.Identifier.Key()] = line.Owner
		}
	}
	return outcomes, nil
}

// heard is a Report that keeps what it is told.
type heard struct {
	refused  []bulk.Refusal
	progress []bulk.Summary
}

func (h *heard) Refused(r bulk.Refusal)  { h.refused = append(h.refused, r) }
func (h *heard) Progress(s bulk.Summary) { h.progress = append(h.progress, s) }

type bundle struct {
	store  *fakeStore
	parser *identifier.Parser
	heard  *heard
}

func setup(t *testing.T) bundle {
	t.Helper()
	parser, err := identifier.NewParser(bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	return bundle{store: &fakeStore{owners: map[string]string{}}, parser: parser, heard: &heard{}}
}

func (b bundle) run(t *testing.T, in io.Reader) (bulk.Summary, error) {
	t.Helper()
	return bulk.Import(t.Context(), b.store, b.parser, in, b.heard)
}

func TestLinesGoIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := "Ada,user:1\r\n\nlace\nadmin\nbob,anybody at all"
	got, err := b.run(t, strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, bulk.Summary{Added: 4}, got)
	require.Equal(t, map[string]string{"ada": "user:1", "lace": "", "admin": "", "bob": "anybody at all"}, b.store.owners)
	require.Empty(t, b.heard.refused)

	got, err = b.run(t, strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, bulk.Summary{Present: 4}, got, "a repeat adds nothing")
}

func TestABadLineIsReportedAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ line, reason string }{
		"form":              {"a", "name has fewer than 3 characters"},
		"space":             {" bob", "name may hold only"},
		"comment":           {"# names", "name may hold only"},
		"empty owner":       {"bob,", "owner is empty"},
		"long owner":        {"bob," + strings.Repeat("é", 65), "owner has more than 64 characters"},
		"owner not UTF-8":   {"bob,\xff", "owner is not valid UTF-8"},
		"owner with a tab":  {"bob,a\tb", "cannot be printed"},
		"owner with U+FFFD": {"bob,a\ufffd", "holds U+FFFD"},
		"refused by store":  {"ada,another", "has another owner"},
		"NUL":               {"bo\x00b", "name may hold only"},
		"name not UTF-8":    {"bo\xffb", "is not valid UTF-8"},
		"a line of 64 KB":   {strings.Repeat("b", 64<<10), "line is longer than 65536 bytes"},
		"a line of 1 MB":    {strings.Repeat("b", 1<<20), "line is longer than 65536 bytes"},
		"a line just short": {strings.Repeat("b", 64<<10-1), "name has more than 30 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			got, err := b.run(t, strings.NewReader("ada\n\n"+tc.line+"\nlace\n"))
			require.NoError(t, err)
			require.Equal(t, bulk.Summary{Added: 2, Refused: 1}, got)
			require.Len(t, b.heard.refused, 1)
			require.Equal(t, 3, b.heard.refused[0].Number)
			require.Contains(t, b.heard.refused[0].Reason, tc.reason)
			require.True(t, strings.HasPrefix(tc.line, b.heard.refused[0].Text))
		})
	}
}

func TestALastBadLineWithoutEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.run(t, strings.NewReader("ada\n"+strings.Repeat("b", 1<<17)))
	require.NoError(t, err)
	require.Equal(t, bulk.Summary{Added: 1, Refused: 1}, got)
}

func TestALongStreamGoesInPieces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "name%d\n!\n", i)
	}
	got, err := b.run(t, strings.NewReader(text.String()))
	require.NoError(t, err)
	require.Equal(t, bulk.Summary{Added: 12_000, Refused: 12_000}, got)
	require.Equal(t, []int{5000, 5000, 2000}, b.store.pieces)
	require.Equal(t, 5000, b.heard.progress[0].Added)
	require.Equal(t, got, b.heard.progress[2])
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return buffer.Bytes()
}

func TestGzipIsUnpacked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.run(t, bytes.NewReader(packed(t, "ada\nlace\n")))
	require.NoError(t, err)
	require.Equal(t, bulk.Summary{Added: 2}, got)
}

func TestAByteOrderMarkIsNoPartOfAName(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\ufeffada\nlace\n", "\ufeffada\n\ufefflace\n", "\ufeff"} {
		for _, in := range []io.Reader{strings.NewReader(text), bytes.NewReader(packed(t, text))} {
			b := setup(t)
			_, err := b.run(t, in)
			require.NoError(t, err)
			require.Equal(t, len(text) > 3, b.store.owners["ada"] == "" && len(b.store.owners) > 0)
			require.Equal(t, strings.Count(text, "\ufeff") > 1, len(b.heard.refused) == 1, "only the file's own mark is skipped")
		}
	}
}

func TestADamagedStreamIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	whole := packed(t, strings.Repeat("ada\nlace\n", 5000))
	got, err := b.run(t, bytes.NewReader(whole[:len(whole)-10]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "read after line ")
	require.NotZero(t, got.Lines())
}

func TestAStoreThatFailsEndsTheImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = &storage.UnavailableError{}
	_, err := b.run(t, strings.NewReader("ada\n!\nlace"))
	require.ErrorIs(t, err, b.store.failure)
	require.ErrorContains(t, err, "lines up to 3")
}

func TestWaitingForALineCanBeInterrupted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	silent, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("interrupted")
	go func() {
		_, _ = io.WriteString(w, "ada\n")
		cancel(cause)
	}()
	_, err := bulk.Import(ctx, b.store, b.parser, silent, b.heard)
	require.ErrorIs(t, err, cause)
}
