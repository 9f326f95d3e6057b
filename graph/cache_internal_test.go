package graph

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestTheCacheForgetsTheDocumentUnusedForLongest(t *testing.T) {
	t.Parallel()
	cache := newDocumentCache()
	quarter := func(letter string) string { return strings.Repeat(letter, maxCachedText/4) }
	for _, letter := range []string{"a", "b", "c", "d"} {
		cache.Add(t.Context(), quarter(letter), new(ast.QueryDocument))
	}
	cache.Get(t.Context(), quarter("a"))

	cache.Add(t.Context(), quarter("e"), new(ast.QueryDocument))

	for letter, kept := range map[string]bool{"a": true, "b": false, "c": true, "d": true, "e": true} {
		_, ok := cache.Get(t.Context(), quarter(letter))
		require.Equal(t, kept, ok, letter)
	}
	require.Equal(t, maxCachedText, cache.text)
	require.Len(t, cache.entries, 4)
}

func TestTheCacheCountsADocumentOnce(t *testing.T) {
	t.Parallel()
	cache := newDocumentCache()
	first := new(ast.QueryDocument)

	cache.Add(t.Context(), "text", first)
	cache.Add(t.Context(), "text", new(ast.QueryDocument))

	got, ok := cache.Get(t.Context(), "text")
	require.True(t, ok)
	require.Same(t, first, got)
	require.Equal(t, len("text"), cache.text)
}
