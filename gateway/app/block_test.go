package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/storage"
	"namegate/storage/identifier"
)

func order(kind, value string) app.Order {
	return app.Order{Kind: kind, Value: value, Actor: "eve", Note: "abuse"}
}

func TestOrdersAreChecked(t *testing.T) {
	t.Parallel()
	require.NoError(t, order("Email", "x").Validate())
	err := app.Order{Kind: "pet", Actor: "", Note: "two\nlines"}.Validate()
	require.EqualError(t, err, "--kind: there is no \"pet\"\n--actor is empty\n--note holds a character that cannot be printed")
}

// A block binds all that a replica does, and leaves it again.
func TestABlockOnAReplica(t *testing.T) {
	t.Parallel()
	var opts app.Options
	_, service := callers(t, func(o *app.Options) { opts = *o })
	reserve := func(n, value string) map[string]any {
		return service.ask(`mutation { reserveIdentifiers(input: {requestId: "sign-up-` + n + `", identifiers: [
			{kind: EMAIL, value: "` + value + `"}]}) { ... on ReserveIdentifiersPayload { token } ... on UnavailableError { reason } } }`)
	}
	block := func(kind, value string) (app.Holding, bool) {
		held, changed, err := app.Block(t.Context(), opts.Databases, opts.Logger, order(kind, value))
		require.NoError(t, err)
		return held, changed
	}
	refused := map[string]any{"reserveIdentifiers": map[string]any{"reason": "NOT_ALLOWED"}}

	held, changed := block("email", "Ada@Example.org")
	require.True(t, changed)
	require.Equal(t, storage.Released, held.State)
	_, changed = block("email", "Ada@example.org")
	require.False(t, changed)
	require.Equal(t, refused, reserve("1", "Ada@example.org"))
	free, err := app.Unblock(t.Context(), opts.Databases, opts.Logger, order("email", "Ada@example.org"))
	require.NoError(t, err)
	require.Equal(t, app.Holding{Identifier: held.Identifier, State: storage.Released}, free)
	require.NotEqual(t, refused, reserve("1", "Ada@example.org"))
	held, _ = block("email", "Ada@example.org")
	require.Equal(t, storage.Reserved, held.State)
	free, err = app.Unblock(t.Context(), opts.Databases, opts.Logger, order("email", "Ada@example.org"))
	require.NoError(t, err)
	require.Equal(t, storage.Reserved, free.State)

	block("username", "ada")
	require.Eventually(t, func() bool {
		answer := service.ask(`{ usernameAvailable(name: "ADA") { available reason } }`)
		return answer["usernameAvailable"].(map[string]any)["reason"] == "NOT_ALLOWED"
	}, 10*time.Second, 10*time.Millisecond)
}

func TestOrdersThatComeToNothing(t *testing.T) {
	t.Parallel()
	opts := namedOptions(t, shared.Database(t))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	_, err := app.Unblock(t.Context(), opts.Databases, opts.Logger, order("username", "ada"))
	require.ErrorIs(t, err, storage.ErrNotBlocked)
	_, _, err = app.Block(t.Context(), opts.Databases, opts.Logger, order("email", "no address of ada"))
	var form *identifier.FormError
	require.ErrorAs(t, err, &form)
	require.NotContains(t, err.Error(), "ada")
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, _, err = app.Block(gone, opts.Databases, opts.Logger, order("username", "ada"))
	require.ErrorIs(t, err, context.Canceled)
}
