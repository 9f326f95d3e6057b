package storage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

func TestOwners(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ id, wrong string }{
		"a digit":                 {"1", ""},
		"a namespace":             {"user:42", ""},
		"spaces and emoji":        {"Zoë 😀", ""},
		"64 letters of 2 bytes":   {strings.Repeat("é", 64), ""},
		"64 letters of 4 bytes":   {strings.Repeat("😀", 64), ""},
		"nothing":                 {"", "is empty"},
		"65 letters of 1 byte":    {strings.Repeat("a", 65), "has more than 64 characters"},
		"65 letters of 2 bytes":   {strings.Repeat("é", 65), "has more than 64 characters"},
		"65 bytes of no text":     {strings.Repeat("\xff", 65), "has more than 64 characters"},
		"no UTF-8":                {"\xff", "is not valid UTF-8"},
		"half a letter":           {"a\xc3", "is not valid UTF-8"},
		"what a decoder lost":     {"a\ufffd", "holds U+FFFD"},
		"a line end":              {"a\n", "cannot be printed"},
		"NUL":                     {"a\x00", "cannot be printed"},
		"a change of direction":   {"a\u202eb", "cannot be printed"},
		"a space that looks like": {"a\u00a0b", "cannot be printed"},
	} {
		err := storage.CheckOwner(tc.id)
		if tc.wrong == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, tc.wrong, name)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	require.NoError(t, storage.CheckNote(strings.Repeat("é", 500)))
	require.EqualError(t, storage.CheckNote(strings.Repeat("é", 501)), "has more than 500 characters")
	require.EqualError(t, storage.CheckNote(""), "is empty")
	require.EqualError(t, storage.CheckNote("two\nlines"), "holds a character that cannot be printed")
}
