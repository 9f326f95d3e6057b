package registry_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
)

func TestSuggestionsAreFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all := b.Suggest(t.Context(), "Grace Hopper", 5)
	require.Equal(t, []string{"grace.hopper", "grace_hopper", "g.hopper", "grace.h", "hopper.grace"}, all, "of look-alikes only the first")
	b.store.hold(username(t, "grace.hopper"), storage.Active)
	b.policy["g.hopper"] = true
	require.Equal(t, []string{"grace_hopper", "ghopper", "grace.h"}, b.Suggest(t.Context(), "Grace Hopper", 3))
}

func TestWhatWasAskedForIsNotSuggested(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NotContains(t, b.Suggest(t.Context(), "ada", 5), "ada")
	require.NotContains(t, b.Suggest(t.Context(), "a.da", 5), "ada", "nor its look-alike")
}

// The filter chooses, and the databases confirm, so that a name that the filter does not
// know of yet is not given.
func TestSuggestionsPreferWhatTheFilterCallsFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, key := range []string{"ghopper", "grace_hopper", "hoppergrace", "gracehopper"} {
		b.filter.free[key] = true
	}
	b.store.hold(username(t, "grace_hopper"), storage.Reserved)
	got := b.Suggest(t.Context(), "Grace Hopper", 2)
	require.Equal(t, []string{"grace.hopper", "g.hopper"}, got, "keys are without points here")
	require.LessOrEqual(t, b.store.lookups, 5)
}

func TestSuggestionsNeverFail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Empty(t, b.Suggest(t.Context(), "ada", 0))
	require.Empty(t, b.Suggest(t.Context(), "ada", -1))
	require.Len(t, b.Suggest(t.Context(), "ada", 100), registry.MaxSuggestions)
	require.NotEmpty(t, b.Suggest(t.Context(), "🎉", 3))
	b.store.failure = errors.New("away")
	require.Empty(t, b.Suggest(t.Context(), "ada", 3))
}
