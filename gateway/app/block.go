package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// Order is what an operator orders for one identifier.
type Order struct {
	Kind  string // its name, in whatever case
	Value string
	Actor string // who orders it
	Note  string // why
}

// Validate returns all that is wrong, joined, but for the form of the value.
func (o Order) Validate() error {
	var errs []error
	if _, ok := kindNamed(o.Kind); !ok {
		errs = append(errs, fmt.Errorf("--kind: there is no %q", o.Kind))
	}
	if err := storage.CheckOwner(o.Actor); err != nil {
		errs = append(errs, fmt.Errorf("--actor %w", err))
	}
	if err := storage.CheckNote(o.Note); err != nil {
		errs = append(errs, fmt.Errorf("--note %w", err))
	}
	return errors.Join(errs...)
}

// storage gives the order as the store obeys it. It fails with *identifier.FormError,
// whose text does not repeat the value.
func (o Order) storage(parser *identifier.Parser) (storage.Order, error) {
	kind, _ := kindNamed(o.Kind)
	id, err := parser.Parse(kind, o.Value)
	return storage.Order{Identifier: id, Actor: o.Actor, Note: o.Note}, err
}

// kindNamed is the kind of a name, in whatever case.
func kindNamed(name string) (identifier.Kind, bool) {
	for _, kind := range identifier.Kinds() {
		if strings.EqualFold(kind.String(), name) {
			return kind, true
		}
	}
	return 0, false
}

// Block blocks an identifier, and gives what it is otherwise; changed is false when it
// was blocked already.
func Block(ctx context.Context, d Databases, log *slog.Logger, o Order) (held Holding, changed bool, err error) {
	err = d.order(ctx, log, o, func(store *postgres.Store, order storage.Order) error {
		blocked, doubt, err := insist(ctx, func() (storage.Blocked, error) { return store.Block(ctx, order) })
		if err == nil {
			held, changed = *blocked.Held, blocked.Changed || doubt
		}
		return err
	})
	return held, changed, err
}

// Unblock takes a block away, and gives what the identifier is without it, Released when
// it is free. It fails with storage.ErrNotBlocked.
func Unblock(ctx context.Context, d Databases, log *slog.Logger, o Order) (held Holding, err error) {
	err = d.order(ctx, log, o, func(store *postgres.Store, order storage.Order) error {
		standing, doubt, err := insist(ctx, func() (storage.Standing, error) { return store.Unblock(ctx, order) })
		if doubt && errors.Is(err, storage.ErrNotBlocked) {
			err = nil // an attempt before has taken it away
		}
		if held = (Holding{Identifier: order.Identifier, State: storage.Released}); standing.Held != nil {
			held = *standing.Held
		}
		return err
	})
	return held, err
}

// order opens the databases for an order, unless its value breaks a rule of form.
func (d Databases) order(ctx context.Context, log *slog.Logger, o Order, do func(*postgres.Store, storage.Order) error) error {
	return d.use(ctx, log, func(a access) error {
		order, err := o.storage(a.parser)
		if err != nil {
			return err
		}
		return a.open(ctx, func(store *postgres.Store) error { return do(store, order) })
	})
}
