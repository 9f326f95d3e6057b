package storagetest

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Identity is an identifier on the wire.
type Identity struct {
	Kind                    identifier.Kind
	Key, Canonical, Display string
}

func wireID(id identifier.Identifier) Identity {
	return Identity{id.Kind(), id.Key(), id.Canonical(), id.Display()}
}

func (i Identity) id() identifier.Identifier {
	return identifier.Stored(i.Kind, i.Key, i.Canonical, i.Display)
}

// Tenure is a holding on the wire.
type Tenure struct {
	ID      Identity
	Holding storage.Holding // without its identifier
}

func wireHolding(h storage.Holding) Tenure {
	id := wireID(h.Identifier)
	h.Identifier = identifier.Identifier{}
	return Tenure{id, h}
}

func (w Tenure) holding() storage.Holding {
	h := w.Holding
	h.Identifier = w.ID.id()
	h.Since, h.ExpireAt = inUTC(h.Since), inUTC(h.ExpireAt)
	return h
}

// inUTC undoes what encoding does to the location of a time.
func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func wireHoldings(list []storage.Holding) []Tenure {
	out := make([]Tenure, len(list))
	for i, h := range list {
		out[i] = wireHolding(h)
	}
	return out
}

func holdings(list []Tenure) []storage.Holding {
	out := make([]storage.Holding, len(list))
	for i, w := range list {
		out[i] = w.holding()
	}
	return out
}

// Failure is an error of the contract on the wire; the zero value is none.
type Failure struct {
	Sort       string
	Text       string
	RetryAfter time.Duration
	Held       *Tenure
	Limit      int
	AllowedAt  time.Time
}

// sentinels are the errors that are known by Identity.
var sentinels = map[string]error{
	"not found":   storage.ErrNotFound,
	"conflict":    storage.ErrRequestConflict,
	"not owner":   storage.ErrNotOwner,
	"not blocked": storage.ErrNotBlocked,
	"canceled":    context.Canceled,
	"deadline":    context.DeadlineExceeded,
}

func wireError(err error) Failure {
	var held *storage.HeldError
	var unavailable *storage.UnavailableError
	var overloaded *storage.OverloadedError
	var limit *storage.LimitError
	var tooSoon *storage.TooSoonError
	switch {
	case err == nil:
		return Failure{}
	case errors.As(err, &held):
		w := wireHolding(held.Holding)
		return Failure{Sort: "held", Held: &w}
	case errors.As(err, &unavailable):
		return Failure{Sort: "unavailable", RetryAfter: unavailable.RetryAfter, Text: unavailable.Cause.Error()}
	case errors.As(err, &overloaded):
		return Failure{Sort: "overloaded", RetryAfter: overloaded.RetryAfter}
	}
	switch {
	case errors.As(err, &limit):
		return Failure{Sort: "limit", Limit: limit.Limit}
	case errors.As(err, &tooSoon):
		return Failure{Sort: "too soon", AllowedAt: tooSoon.AllowedAt}
	}
	for sort, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			return Failure{Sort: sort}
		}
	}
	return Failure{Sort: "other", Text: err.Error()}
}

func (f Failure) err() error {
	switch f.Sort {
	case "":
		return nil
	case "held":
		return &storage.HeldError{Holding: f.Held.holding()}
	case "unavailable":
		return &storage.UnavailableError{RetryAfter: f.RetryAfter, Cause: errors.New(f.Text)}
	case "overloaded":
		return &storage.OverloadedError{RetryAfter: f.RetryAfter}
	case "limit":
		return &storage.LimitError{Limit: f.Limit}
	case "too soon":
		return &storage.TooSoonError{AllowedAt: inUTC(f.AllowedAt)}
	case "other":
		return errors.New(f.Text)
	}
	return sentinels[f.Sort]
}
