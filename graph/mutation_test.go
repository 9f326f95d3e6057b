package graph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage"
	"namegate/storage/identifier"
)

const reserveDocument = `mutation ($input: ReserveUsernameInput!) { reserveUsername(input: $input) {
	__typename
	... on ReserveUsernamePayload { token reservation { display canonical state } }
	... on MutationError { message }
	... on UnavailableError { value reason }
	... on InvalidValueError { value violations { rule position } } } }`

func TestReserveHoldsAName(t *testing.T) {
	t.Parallel()
	var asked registry.ReserveInput
	c := setup(t, &fakeRegistry{reserve: func(in registry.ReserveInput) (registry.Reservation, error) {
		asked = in
		return registry.Reservation{Holding: reserved("Ann", "ann"), Token: "secret"}, nil
	}}, graph.Options{})

	got := c.ask(reserveDocument, "input", map[string]any{
		"name": "Ann", "alternatives": []string{"ann2", "ann3"}, "requestId": "r-1",
	}).data(t)

	require.Equal(t, map[string]any{
		"__typename": "ReserveUsernamePayload", "token": "secret",
		"reservation": map[string]any{"display": "Ann", "canonical": "ann", "state": "RESERVED"},
	}, got["reserveUsername"])
	require.Equal(t, registry.ReserveInput{
		Name: "Ann", Alternatives: []string{"ann2", "ann3"}, RequestID: "r-1",
	}, asked)
}

func TestAlternativesAreOptional(t *testing.T) {
	t.Parallel()
	var asked registry.ReserveInput
	c := setup(t, &fakeRegistry{reserve: func(in registry.ReserveInput) (registry.Reservation, error) {
		asked = in
		return registry.Reservation{}, nil
	}}, graph.Options{})

	c.ask(reserveDocument, "input", map[string]any{"name": "ann", "requestId": "r-1"}).data(t)

	require.Empty(t, asked.Alternatives)
}

func TestReserveRefusalsAreOutcomes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want map[string]any
	}{
		"taken": {
			&registry.UnavailableError{Value: "Ann", Reason: registry.Taken},
			map[string]any{"__typename": "UnavailableError", "message": "value cannot be had", "value": "Ann", "reason": "TAKEN"},
		},
		"invalid": {
			&registry.InvalidValueError{Value: "é", Violations: []identifier.Violation{{Rule: identifier.InvalidCharacter}}},
			map[string]any{
				"__typename": "InvalidValueError", "message": "value breaks a rule of form", "value": "é",
				"violations": []any{map[string]any{"rule": "INVALID_CHARACTER", "position": 0.0}},
			},
		},
		"used request id": {
			storage.ErrRequestConflict,
			map[string]any{"__typename": "RequestConflictError", "message": "request id was used with other arguments"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, &fakeRegistry{reserve: func(registry.ReserveInput) (registry.Reservation, error) {
				return registry.Reservation{}, fmt.Errorf("reserve at 10.0.0.7: %w", test.err)
			}}, graph.Options{})

			got := c.ask(reserveDocument, "input", map[string]any{"name": "Ann", "requestId": "r"}).data(t)

			require.Equal(t, test.want, got["reserveUsername"])
		})
	}
}

const cancelDocument = `mutation { cancelReservation(input: {token: "secret"}) {
	__typename ... on CancelReservationPayload { released { canonical } } ... on MutationError { message } } }`

func TestCancelReleasesNames(t *testing.T) {
	t.Parallel()
	var asked string
	c := setup(t, &fakeRegistry{cancel: func(token string) ([]storage.Holding, error) {
		asked = token
		return []storage.Holding{reserved("Ann", "ann")}, nil
	}}, graph.Options{})

	got := c.ask(cancelDocument).data(t)

	require.Equal(t, map[string]any{
		"__typename": "CancelReservationPayload", "released": []any{map[string]any{"canonical": "ann"}},
	}, got["cancelReservation"])
	require.Equal(t, "secret", asked)
}

func TestCancelOfNothing(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{cancel: func(string) ([]storage.Holding, error) {
		return nil, registry.ErrReservationNotFound
	}}, graph.Options{})

	got := c.ask(cancelDocument).data(t)

	require.Equal(t, map[string]any{
		"__typename": "ReservationNotFoundError", "message": "no such reservation",
	}, got["cancelReservation"])
}
