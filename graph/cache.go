package graph

import (
	"container/list"
	"context"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// maxCachedText bounds the sum of the lengths of cached documents, in bytes. A
// parsed document takes up to some hundred times its text.
const maxCachedText = 256 << 10

// documentCache keeps parsed and validated documents by their text, those used
// last. It is safe for concurrent use.
type documentCache struct {
	mu      sync.Mutex // guards all below
	entries map[string]*list.Element
	recent  *list.List // of cached, the one used last in front
	text    int        // sum of the lengths of the keys
}

type cached struct {
	text     string
	document *ast.QueryDocument
}

func newDocumentCache() *documentCache {
	return &documentCache{entries: map[string]*list.Element{}, recent: list.New()}
}

// Get fulfils graphql.Cache.
func (c *documentCache) Get(_ context.Context, text string) (*ast.QueryDocument, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[text]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(entry)
	return entry.Value.(cached).document, true
}

// Add fulfils graphql.Cache.
func (c *documentCache) Add(_ context.Context, text string, document *ast.QueryDocument) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[text]; ok {
		return
	}
	c.entries[text] = c.recent.PushFront(cached{text, document})
	c.text += len(text)
	for c.text > maxCachedText {
		oldest := c.recent.Remove(c.recent.Back()).(cached)
		delete(c.entries, oldest.text)
		c.text -= len(oldest.text)
	}
}
