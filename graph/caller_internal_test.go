package graph

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
)

func TestADirectiveLetsTheRoleThrough(t *testing.T) {
	t.Parallel()
	user := registry.Caller{Role: registry.User, Subject: "user:1"}
	service := registry.Caller{Role: registry.Service, Subject: "sign-up"}
	for _, tc := range []struct {
		caller registry.Caller
		role   registry.Role
		want   error
	}{
		{registry.Caller{}, registry.User, registry.ErrUnauthenticated},
		{registry.Caller{}, registry.Service, registry.ErrUnauthenticated},
		{user, registry.User, nil},
		{user, registry.Service, registry.ErrForbidden},
		{service, registry.User, nil},
		{service, registry.Service, nil},
	} {
		ctx := withCaller(t.Context(), tc.caller)
		require.Equal(t, tc.caller, callerOf(ctx))
		ran := false
		_, err := requiresRole(ctx, nil, func(context.Context) (any, error) {
			ran = true
			return nil, nil
		}, tc.role)
		require.Equal(t, tc.want, err)
		require.Equal(t, tc.want == nil, ran)
	}
}
