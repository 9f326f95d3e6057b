package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"namegate/gateway/registry"
	"namegate/graph/model"
	"namegate/storage"
	"namegate/storage/identifier"
)

func newAvailability(a registry.Availability) *model.UsernameAvailability {
	return &model.UsernameAvailability{
		Requested:  a.Requested,
		Canonical:  nonZero(a.Canonical),
		Available:  a.Available,
		Reason:     nonZero(a.Reason),
		Violations: newViolations(a.Violations),
		DecidedBy:  a.DecidedBy,
		AsOf:       a.AsOf,
	}
}

// newAvailabilities answers a list in which a name that failed is null, with an
// error of its own at its index.
func newAvailabilities(ctx context.Context, results []registry.CheckResult) []*model.UsernameAvailability {
	answers := make([]*model.UsernameAvailability, len(results))
	for i, result := range results {
		if result.Err != nil {
			path := append(slices.Clone(graphql.GetPath(ctx)), ast.PathIndex(i))
			graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, gqlerror.WrapPath(path, result.Err)))
			continue
		}
		answers[i] = newAvailability(result.Availability)
	}
	return answers
}

func newViolations(violations []identifier.Violation) []model.NameViolation {
	shown := make([]model.NameViolation, len(violations))
	for i, v := range violations {
		shown[i] = model.NameViolation{Rule: v.Rule, Message: v.Message}
		if v.Position != identifier.NoPosition {
			position := int32(v.Position)
			shown[i].Position = &position
		}
	}
	return shown
}

// newHolding shows a holding. Of a private one nothing tells the value, whatever
// the storage says.
func newHolding(h storage.Holding) model.Holding {
	shown := model.Holding{Kind: h.Identifier.Kind(), State: h.State, Since: h.Since}
	if !h.Identifier.Kind().Private() {
		shown.Display, shown.Canonical = nonZero(h.Identifier.Display()), nonZero(h.Identifier.Canonical())
	}
	if !h.ExpireAt.IsZero() {
		shown.ExpiresAt = &h.ExpireAt
	}
	return shown
}

func newHoldings(held []storage.Holding) []model.Holding {
	shown := make([]model.Holding, len(held))
	for i, h := range held {
		shown[i] = newHolding(h)
	}
	return shown
}

func newRenamed(r storage.Renamed) *model.RenameUsernamePayload {
	holding := newHolding(r.Holding)
	shown := &model.RenameUsernamePayload{Holding: &holding}
	if r.Former != nil {
		former := newHolding(*r.Former)
		shown.Former = &former
	}
	return shown
}

func wanted(identifiers []model.IdentifierInput) []registry.Wanted {
	list := make([]registry.Wanted, len(identifiers))
	for i, id := range identifiers {
		list[i] = registry.Wanted{Kind: id.Kind, Value: id.Value}
	}
	return list
}

// nonZero is nil for what the schema calls null and the domain leaves empty.
func nonZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
