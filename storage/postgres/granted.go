package postgres

import (
	"encoding/json"
	"fmt"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// grantedName is a granted holding in the record of a request, but for its
// times, which have columns of their own. Canonical and display are left out
// where they equal the key, as they mostly do.
type grantedName struct {
	Kind      identifier.Kind `json:"kind"`
	Key       string          `json:"key"`
	Canonical *string         `json:"canonical,omitempty"`
	Display   *string         `json:"display,omitempty"`
	Grant     []byte          `json:"grant"`
}

// encodeGranted is the JSON of one granted holding.
func encodeGranted(id identifier.Identifier, grant storage.Grant) ([]byte, error) {
	return json.Marshal([]grantedName{{
		Kind: id.Kind(), Key: id.Key(), Canonical: unless(id.Canonical(), id.Key()), Display: unless(id.Display(), id.Key()), Grant: grant[:],
	}})
}

// decodeGranted gives the holdings as they were when they were granted, but for
// the holder.
func decodeGranted(b []byte, since, expireAt time.Time) ([]storage.Holding, error) {
	var names []grantedName
	if err := json.Unmarshal(b, &names); err != nil {
		return nil, fmt.Errorf("read the outcome of a request: %w", err)
	}
	holdings := make([]storage.Holding, len(names))
	for i, n := range names {
		holdings[i] = storage.Holding{
			Identifier: identifier.Stored(n.Kind, n.Key, or(n.Canonical, n.Key), or(n.Display, n.Key)),
			State:      storage.Reserved, Since: since, ExpireAt: expireAt,
		}
		copy(holdings[i].Grant[:], n.Grant)
	}
	return holdings, nil
}

// unless is nil for the usual value.
func unless(s, usual string) *string {
	if s == usual {
		return nil
	}
	return &s
}

// or undoes unless.
func or(s *string, usual string) string {
	if s == nil {
		return usual
	}
	return *s
}
