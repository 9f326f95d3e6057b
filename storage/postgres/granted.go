package postgres

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// grantedName is a holding in the record of a request, as the request left it.
// Canonical and display are left out where they equal the key, as they mostly do,
// the state where it is Reserved, and times that are those of the record.
type grantedName struct {
	Kind      identifier.Kind `json:"kind"`
	Key       string          `json:"key"`
	Canonical *string         `json:"canonical,omitempty"`
	Display   *string         `json:"display,omitempty"`
	Grant     []byte          `json:"grant"`
	State     storage.State   `json:"state,omitempty"`
	Since     *time.Time      `json:"since,omitempty"`
}

func newGrantedName(id identifier.Identifier, grant storage.Grant, state storage.State, since time.Time) grantedName {
	n := grantedName{
		Kind: id.Kind(), Key: id.Key(), Canonical: unless(id.Canonical(), id.Key()), Display: unless(id.Display(), id.Key()), Grant: grant[:],
	}
	if state != storage.Reserved {
		n.State = state
	}
	if !since.IsZero() {
		n.Since = &since
	}
	return n
}

// encodeGranted is the JSON of one reserved identifier.
func encodeGranted(id identifier.Identifier, grant storage.Grant) ([]byte, error) {
	return json.Marshal([]grantedName{newGrantedName(id, grant, storage.Reserved, time.Time{})})
}

// encodeAllGranted is the JSON of several reserved identifiers.
func encodeAllGranted(holdings []storage.Holding) ([]byte, error) {
	names := make([]grantedName, len(holdings))
	for i, h := range holdings {
		names[i] = newGrantedName(h.Identifier, h.Grant, storage.Reserved, time.Time{})
	}
	return json.Marshal(names)
}

// sameTimes are holdings with the times of their record, as it keeps only one of
// each: those of the first that was won, so the first to run out.
func sameTimes(holdings []storage.Holding, since, expireAt time.Time) []storage.Holding {
	list := slices.Clone(holdings)
	for i := range list {
		list[i].Since, list[i].ExpireAt = since, expireAt
	}
	return list
}

// decodeGranted gives the holdings as they were when they were granted, but for
// holder and owner.
func decodeGranted(b []byte, since, expireAt time.Time) ([]storage.Holding, error) {
	if b == nil {
		return nil, nil // not decided, or decided elsewhere
	}
	var names []grantedName
	if err := json.Unmarshal(b, &names); err != nil {
		return nil, fmt.Errorf("read the outcome of a request: %w", err)
	}
	holdings := make([]storage.Holding, len(names))
	for i, n := range names {
		holdings[i] = n.holding(since, expireAt)
	}
	return holdings, nil
}

func (n grantedName) holding(since, expireAt time.Time) storage.Holding {
	h := storage.Holding{
		Identifier: identifier.Stored(n.Kind, n.Key, or(n.Canonical, n.Key), or(n.Display, n.Key)),
		State:      n.State, Since: since,
	}
	copy(h.Grant[:], n.Grant)
	if n.State == 0 {
		h.State = storage.Reserved
	}
	if n.Since != nil {
		h.Since = *n.Since
	}
	if h.State == storage.Reserved || h.State == storage.Protected {
		h.ExpireAt = expireAt
	}
	return h
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
