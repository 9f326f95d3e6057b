package app

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func username(t *testing.T, name string) identifier.Identifier {
	t.Helper()
	parser, err := identifier.NewParser(bytes.Repeat([]byte{1}, 32))
	require.NoError(t, err)
	id, err := parser.Parse(identifier.Username, name)
	require.NoError(t, err)
	return id
}

func TestTheBuiltInWordsNeedNoFile(t *testing.T) {
	t.Parallel()
	var words reservedWords
	require.NoError(t, words.read())
	require.True(t, words.Refuses(username(t, "Admin")))
	require.False(t, words.Refuses(username(t, "ada.lovelace")))
}

func TestABrokenFileLeavesTheWordsInForce(t *testing.T) {
	t.Parallel()
	words := reservedWords{path: writeFile(t, "ada.lovelace\n")}
	require.NoError(t, words.read())
	require.True(t, words.Refuses(username(t, "ada.lovelace")))

	require.NoError(t, os.WriteFile(words.path, []byte("grace.hopper\nno word\n"), 0o600))
	err := words.read()
	require.ErrorContains(t, err, words.path)
	require.ErrorContains(t, err, "line 2")
	require.True(t, words.Refuses(username(t, "ada.lovelace")))
	require.False(t, words.Refuses(username(t, "grace.hopper")))

	require.NoError(t, os.WriteFile(words.path, []byte("grace.hopper\n"), 0o600))
	require.NoError(t, words.read())
	require.False(t, words.Refuses(username(t, "ada.lovelace")))
	require.True(t, words.Refuses(username(t, "grace.hopper")))
}
