package graph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage"
	"namegate/storage/identifier"
)

// The mutations of accounts. Each asks for all that its union can give.
const (
	reserveAllDocument = `mutation ($input: ReserveIdentifiersInput!) { changed: reserveIdentifiers(input: $input) {
		__typename ... on MutationError { message } ... on UnavailableError { value reason }
		... on ReserveIdentifiersPayload { token reservations { kind canonical state } } } }`
	confirmDocument = `mutation ($input: ConfirmReservationInput!) { changed: confirmReservation(input: $input) {
		__typename ... on MutationError { message } ... on UnavailableError { value reason } ... on OwnerLimitError { limit }
		... on ConfirmReservationPayload { holdings { kind canonical state } } } }`
	renameDocument = `mutation ($input: RenameUsernameInput!) { changed: renameUsername(input: $input) {
		__typename ... on MutationError { message } ... on UnavailableError { value reason } ... on RenameTooSoonError { allowedAt }
		... on RenameUsernamePayload { holding { display state } former { display state expiresAt } } } }`
	releaseDocument = `mutation ($input: ReleaseIdentifierInput!) { changed: releaseIdentifier(input: $input) {
		__typename ... on MutationError { message } ... on ReleaseIdentifierPayload { released { kind canonical state } } } }`
	releaseAllDocument = `mutation ($input: ReleaseAccountInput!) { changed: releaseAccount(input: $input) {
		__typename ... on MutationError { message } ... on ReleaseAccountPayload { released { kind canonical state } } } }`
)

// changing is a registry whose changes give an outcome, or fail, and the last
// input that one of them got.
func changing(asked *any, err error) *fakeRegistry {
	former := owned("Ann", "ann")
	former.State, former.ExpireAt = storage.Protected, asOf.Add(time.Hour)
	return &fakeRegistry{
		reserveAll: func(in registry.ReserveAllInput) (registry.Reservations, error) {
			*asked = in
			return registry.Reservations{Holdings: []storage.Holding{reserved("Ann", "ann")}, Token: "secret"}, err
		},
		confirm: func(in registry.ConfirmInput) ([]storage.Holding, error) {
			*asked = in
			return []storage.Holding{owned("Ann", "ann")}, err
		},
		rename: func(in registry.RenameInput) (storage.Renamed, error) {
			*asked = in
			return storage.Renamed{Holding: owned("Eve", "eve"), Former: &former}, err
		},
		release: func(in registry.ReleaseInput) (storage.Holding, error) {
			*asked = in
			return former, err
		},
		releaseAll: func(in registry.Request) ([]storage.Holding, error) {
			*asked = in
			return []storage.Holding{former}, err
		},
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	owner := "user:1"
	user := registry.Request{Caller: known["of-user"], RequestID: "r-1"}
	service := registry.Request{Caller: known["of-service"], OwnerID: &owner, RequestID: "r-1"}
	shown := func(state string) map[string]any {
		return map[string]any{"kind": "USERNAME", "canonical": "ann", "state": state}
	}
	for name, tc := range map[string]struct {
		document, token string
		input           map[string]any
		asked           any
		want            map[string]any
	}{
		"reserve": {
			reserveAllDocument, "of-service",
			map[string]any{"requestId": "r-1", "identifiers": []any{
				map[string]any{"kind": "USERNAME", "value": "Ann"}, map[string]any{"kind": "EMAIL", "value": "ann@example.org"},
			}},
			registry.ReserveAllInput{Caller: known["of-service"], RequestID: "r-1", Wanted: []registry.Wanted{
				{Kind: identifier.Username, Value: "Ann"}, {Kind: identifier.Email, Value: "ann@example.org"},
			}},
			map[string]any{"__typename": "ReserveIdentifiersPayload", "token": "secret", "reservations": []any{shown("RESERVED")}},
		},
		"confirm": {
			confirmDocument, "of-user",
			map[string]any{"requestId": "r-1", "token": "secret"},
			registry.ConfirmInput{Request: user, Token: "secret"},
			map[string]any{"__typename": "ConfirmReservationPayload", "holdings": []any{shown("ACTIVE")}},
		},
		"confirm for": {
			confirmDocument, "of-service",
			map[string]any{"requestId": "r-1", "token": "secret", "ownerId": owner},
			registry.ConfirmInput{Request: service, Token: "secret"},
			map[string]any{"__typename": "ConfirmReservationPayload", "holdings": []any{shown("ACTIVE")}},
		},
		"rename": {
			renameDocument, "of-service",
			map[string]any{"requestId": "r-1", "to": "Eve", "ownerId": owner},
			registry.RenameInput{Request: service, To: "Eve"},
			map[string]any{
				"__typename": "RenameUsernamePayload",
				"holding":    map[string]any{"display": "Eve", "state": "ACTIVE"},
				"former":     map[string]any{"display": "Ann", "state": "PROTECTED", "expiresAt": "2026-03-04T05:06:07.890123Z"},
			},
		},
		"release": {
			releaseDocument, "of-service",
			map[string]any{"requestId": "r-1", "kind": "USERNAME", "value": "Ann", "ownerId": owner},
			registry.ReleaseInput{Request: service, Kind: identifier.Username, Value: "Ann"},
			map[string]any{"__typename": "ReleaseIdentifierPayload", "released": shown("PROTECTED")},
		},
		"release all": {
			releaseAllDocument, "of-service",
			map[string]any{"requestId": "r-1", "ownerId": owner},
			service,
			map[string]any{"__typename": "ReleaseAccountPayload", "released": []any{shown("PROTECTED")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked any
			c := setup(t, changing(&asked, nil), graph.Options{Authenticator: known})

			got := c.askAs(tc.token, tc.document, "input", tc.input).data(t)

			require.Equal(t, tc.want, got["changed"])
			require.Equal(t, tc.asked, asked)
		})
	}
}

func TestOnlyTheSpellingChanged(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{rename: func(registry.RenameInput) (storage.Renamed, error) {
		return storage.Renamed{Holding: owned("ANN", "ann")}, nil
	}}, graph.Options{Authenticator: known})

	got := c.askAs("of-user", renameDocument, "input", map[string]any{"requestId": "r-1", "to": "ANN"}).data(t)

	require.Equal(t, map[string]any{
		"__typename": "RenameUsernamePayload", "former": nil, "holding": map[string]any{"display": "ANN", "state": "ACTIVE"},
	}, got["changed"])
}

func TestWhoReservesIsKnown(t *testing.T) {
	t.Parallel()
	var asked registry.ReserveInput
	c := setup(t, &fakeRegistry{reserve: func(in registry.ReserveInput) (registry.Reservation, error) {
		asked = in
		return registry.Reservation{}, nil
	}}, graph.Options{Authenticator: known})

	c.askAs("of-user", reserveDocument, "input", map[string]any{"name": "ann", "requestId": "r-1"}).data(t)

	require.Equal(t, known["of-user"], asked.Caller)
}

// inputs are the least that each mutation takes.
var inputs = map[string]map[string]any{
	reserveAllDocument: {"requestId": "r", "identifiers": []any{}},
	confirmDocument:    {"requestId": "r", "token": "t", "ownerId": "user:1"},
	renameDocument:     {"requestId": "r", "to": "eve", "ownerId": "user:1"},
	releaseDocument:    {"requestId": "r", "kind": "USERNAME", "value": "ann", "ownerId": "user:1"},
	releaseAllDocument: {"requestId": "r", "ownerId": "user:1"},
}

func TestRefusalsOfChangesAreOutcomes(t *testing.T) {
	t.Parallel()
	conflict := map[string]any{"__typename": "RequestConflictError", "message": "request id was used with other arguments"}
	taken := map[string]any{"__typename": "UnavailableError", "message": "value cannot be had", "value": "Ann", "reason": "TAKEN"}
	invalid := map[string]any{"__typename": "InvalidValueError", "message": "value breaks a rule of form"}
	notOwner := map[string]any{"__typename": "NotOwnerError", "message": "account does not have the identifier"}
	for _, tc := range []struct {
		err       error
		documents []string
		want      map[string]any
	}{
		{storage.ErrRequestConflict, []string{reserveAllDocument, confirmDocument, renameDocument, releaseDocument, releaseAllDocument}, conflict},
		{&registry.UnavailableError{Value: "Ann", Reason: registry.Taken}, []string{reserveAllDocument, confirmDocument, renameDocument}, taken},
		{&registry.InvalidValueError{Value: "é"}, []string{reserveAllDocument, renameDocument}, invalid},
		{storage.ErrNotOwner, []string{renameDocument, releaseDocument}, notOwner},
		{
			registry.ErrReservationNotFound,
			[]string{confirmDocument},
			map[string]any{"__typename": "ReservationNotFoundError", "message": "no such reservation"},
		},
		{
			&storage.LimitError{Limit: 1},
			[]string{confirmDocument},
			map[string]any{"__typename": "OwnerLimitError", "message": "account has reached its limit", "limit": 1.0},
		},
		{
			&storage.TooSoonError{AllowedAt: asOf},
			[]string{renameDocument},
			map[string]any{
				"__typename": "RenameTooSoonError", "message": "account was renamed too recently",
				"allowedAt": "2026-03-04T04:06:07.890123Z",
			},
		},
	} {
		c := setup(t, changing(new(any), fmt.Errorf("change at 10.0.0.7: %w", tc.err)), graph.Options{Authenticator: known})
		for _, document := range tc.documents {
			got := c.askAs("of-service", document, "input", inputs[document]).data(t)
			require.Equal(t, tc.want, got["changed"], document)
		}
		require.Empty(t, c.logs.String())
	}
}

// What a union has no member for is a fault of ours, and is told as one.
func TestARefusalThatAUnionCannotTell(t *testing.T) {
	t.Parallel()
	c := setup(t, changing(new(any), storage.ErrNotOwner), graph.Options{Authenticator: known})

	got := c.askAs("of-service", confirmDocument, "input", inputs[confirmDocument]).decode(t)

	require.Equal(t, "INTERNAL", got.Errors[0].Extensions["code"])
}

func TestFaultsOfChangesHaveCodes(t *testing.T) {
	t.Parallel()
	for code, err := range map[string]error{
		"FORBIDDEN":      registry.ErrForbidden,
		"BAD_USER_INPUT": &registry.InputError{Message: "ownerId is required of a back end"},
		"UNAVAILABLE":    &storage.UnavailableError{},
		"OVERLOADED":     &storage.OverloadedError{},
	} {
		c := setup(t, changing(new(any), err), graph.Options{Authenticator: known})
		for document, input := range inputs {
			got := c.askAs("of-service", document, "input", input).decode(t)
			require.Equal(t, map[string]any{"changed": nil}, got.Data)
			require.Equal(t, code, got.Errors[0].Extensions["code"], document)
		}
	}
}

func TestChangesNeedARole(t *testing.T) {
	t.Parallel()
	forBackEnds := map[string]bool{reserveAllDocument: true, releaseAllDocument: true}
	var asked any
	c := setup(t, changing(&asked, nil), graph.Options{Authenticator: known})
	for document, input := range inputs {
		got := c.ask(document, "input", input).decode(t)
		require.Equal(t, "UNAUTHENTICATED", got.Errors[0].Extensions["code"], document)
		require.Nil(t, asked)
		if forBackEnds[document] {
			got = c.askAs("of-user", document, "input", input).decode(t)
			require.Equal(t, "FORBIDDEN", got.Errors[0].Extensions["code"], document)
			require.Nil(t, asked)
		}
	}
}
