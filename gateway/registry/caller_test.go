package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
)

func TestALaterRoleIncludesThoseBeforeIt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		caller    registry.Caller
		user      error
		service   error
		anonymous bool
	}{
		"anonymous":     {registry.Caller{}, registry.ErrUnauthenticated, registry.ErrUnauthenticated, true},
		"user":          {registry.Caller{Role: registry.User, Subject: "user:1"}, nil, registry.ErrForbidden, false},
		"service":       {registry.Caller{Role: registry.Service, Subject: "back end"}, nil, nil, false},
		"administrator": {registry.Caller{Role: registry.User, Subject: "ops", Admin: true}, nil, registry.ErrForbidden, false},
	} {
		require.NoError(t, tc.caller.Require(registry.Anonymous), name)
		require.Equal(t, tc.user, tc.caller.Require(registry.User), name)
		require.Equal(t, tc.service, tc.caller.Require(registry.Service), name)
		require.Equal(t, tc.anonymous, tc.caller.IsAnonymous(), name)
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"1", "user:42", "Zoë 😀", strings.Repeat("é", 64), strings.Repeat("😀", 64)} {
		require.True(t, registry.ValidSubject(good), good)
	}
	for _, bad := range []string{
		"", strings.Repeat("a", 65), strings.Repeat("é", 65), "a\n", "a\x00", "a\u202eb", "a\u00a0b", "\xff", "a\xc3", "a\ufffd",
	} {
		require.False(t, registry.ValidSubject(bad), "%q", bad)
	}
}
