package verify

import (
	"context"
	"fmt"
	"sync"

	"namegate/storage"
	"namegate/storage/identifier"
)

// suspect is a name of which a layer says something, and what its database has then.
type suspect struct {
	id        identifier.Identifier
	said, has storage.Standing
	silent    bool  // the layer says nothing any more
	err       error // why either could not be asked
}

// readers is how many names are read at once.
const readers = 64

// read asks the databases for each, unless the layer could not be asked.
func read(ctx context.Context, store storage.Reader, some []suspect) {
	var reading sync.WaitGroup
	for first := range min(readers, len(some)) {
		reading.Go(func() {
			for i := first; i < len(some); i += readers {
				if some[i].err == nil && !some[i].silent {
					some[i].has, some[i].err = store.Lookup(ctx, some[i].id)
				}
			}
		})
	}
	reading.Wait()
}

// contradicts says that what the layer says and what the database has cannot both be true.
func (s suspect) contradicts() bool {
	if s.said.Held == nil || s.has.Held == nil {
		return (s.said.Held == nil) != (s.has.Held == nil)
	}
	return s.said.Version != s.has.Version
}

// String says what is wrong.
func (s suspect) String() string {
	return fmt.Sprintf("%s is said to be %s, and is %s", s.id.Key(), describe(s.said), describe(s.has))
}

func describe(s storage.Standing) string {
	switch {
	case s.Held == nil:
		return "free"
	case s.Held.Blocked:
		return fmt.Sprintf("blocked (version %d.%d)", s.Version.Epoch, s.Version.ID)
	}
	return fmt.Sprintf("held (version %d.%d)", s.Version.Epoch, s.Version.ID)
}
