package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestAFreeName(t *testing.T) {
	t.Parallel()
	got, err := setup(t).Check(t.Context(), "Ada")
	require.NoError(t, err)
	require.Equal(t, registry.Availability{
		Requested: "Ada", Canonical: "ada", Available: true,
		DecidedBy: registry.LayerDatabase, AsOf: databaseTime,
	}, got)
}

func TestAHeldName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		held   string
		state  storage.State
		reason registry.Reason
	}{
		"active":               {"ada", storage.Active, registry.Taken},
		"reserved":             {"ada", storage.Reserved, registry.Reserved},
		"protected":            {"ada", storage.Protected, registry.Protected},
		"a look-alike":         {"a.da", storage.Active, registry.Confusable},
		"a reserved lookalike": {"a.da", storage.Reserved, registry.Confusable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.hold(username(t, tc.held), tc.state)
			got, err := b.Check(t.Context(), "Ada")
			require.NoError(t, err)
			require.Equal(t, registry.Availability{
				Requested: "Ada", Canonical: "ada", Reason: tc.reason,
				DecidedBy: registry.LayerDatabase, AsOf: databaseTime,
			}, got)
		})
	}
}

func TestPolicyDecidesWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.Check(t.Context(), "Root")
	require.NoError(t, err)
	require.Equal(t, registry.Availability{
		Requested: "Root", Canonical: "root", Reason: registry.NotAllowed,
		DecidedBy: registry.LayerPolicy, AsOf: gatewayTime,
	}, got)

	got, err = b.Check(t.Context(), "a b")
	require.NoError(t, err)
	require.Equal(t, registry.Availability{
		Requested: "a b", Reason: registry.InvalidForm,
		Violations: []identifier.Violation{{Rule: identifier.InvalidCharacter, Message: "no spaces", Position: 1}},
		DecidedBy:  registry.LayerPolicy, AsOf: gatewayTime,
	}, got)
	require.Zero(t, b.store.lookups)
}

func TestACheckThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = &storage.UnavailableError{Cause: errors.New("connection refused")}
	got, err := b.Check(t.Context(), "ada")
	require.ErrorIs(t, err, b.store.failure)
	require.Zero(t, got)
}

func TestCheckManyKeepsOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var names []string
	for i := range registry.MaxChecks {
		names = append(names, fmt.Sprintf("name%d", i))
	}
	b.store.hold(username(t, "name7"), storage.Active)
	got, err := b.CheckMany(t.Context(), names)
	require.NoError(t, err)
	require.Len(t, got, len(names))
	for i, result := range got {
		require.NoError(t, result.Err)
		require.Equal(t, names[i], result.Requested)
		require.Equal(t, i != 7, result.Available, names[i])
	}
}

func TestCheckManyFailsNameByName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = &storage.OverloadedError{}
	got, err := b.CheckMany(t.Context(), []string{"ada", "root"})
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, b.store.failure)
	require.NoError(t, got[1].Err, "policy needs no database")
	require.Equal(t, registry.NotAllowed, got[1].Reason)
}

func TestCheckManyRefusesALongList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.CheckMany(t.Context(), make([]string, registry.MaxChecks+1))
	var input *registry.InputError
	require.ErrorAs(t, err, &input)
	require.Zero(t, b.store.lookups)
}
