package identifier_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func TestParseWordsSkipsCommentsAndBlanks(t *testing.T) {
	t.Parallel()
	words, err := identifier.ParseWords(strings.NewReader("# list\r\n\n  acme  # ours\r\ntv\nAcme.*"))
	require.NoError(t, err)
	require.Len(t, words, 3)
	policy := identifier.NewPolicy(words)
	require.True(t, policy.Refuses(username(t, "acme")))
	require.True(t, policy.Refuses(username(t, "acme.shop")))
}

func TestParseWordsNamesTheBrokenLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"*", "word has fewer than 1 characters"},
		{"**", "word may hold only"},
		{"a*b", "word may hold only"},
		{"a-b", "word may hold only"},
		{"two words", "word may hold only"},
		{"_acme", "word does not start with"},
		{"_*", "word does not start with"},
		{"acme_", "word does not end with"},
		{"ac..me", "word has two separators in a row"},
		{"acme_.*", "word has two separators in a row"},
		{"\u212Aelvin", "word may hold only"},
		{"acme\xff", "word is not valid UTF-8"},
		{strings.Repeat("a", 31), "word has more than 30 characters"},
		{strings.Repeat("a", 1<<17), "token too long"},
	} {
		words, err := identifier.ParseWords(strings.NewReader("good\n\n" + c.line + "\ngood\n"))
		require.ErrorContains(t, err, "line 3: ", c.line)
		require.ErrorContains(t, err, c.want)
		require.Nil(t, words)
	}
}

func TestParseWordsPassesReadErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk is gone")
	_, err := identifier.ParseWords(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}
