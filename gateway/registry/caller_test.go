package registry_test

import (
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
