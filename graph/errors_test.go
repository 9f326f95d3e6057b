package graph_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage"
)

const askAnn = `{ usernameAvailable(name: "ann") { available } }`

// failing is a registry whose checks fail.
func failing(err error) *fakeRegistry {
	return &fakeRegistry{check: func(context.Context, string) (registry.Availability, error) {
		return registry.Availability{}, err
	}}
}

func TestErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.7:5432: SELECT failed")
	tests := map[string]struct {
		err        error
		message    string
		extensions map[string]any
	}{
		"input": {
			&registry.InputError{Message: "at most 20 names"}, "at most 20 names",
			map[string]any{"code": "BAD_USER_INPUT"},
		},
		"unauthenticated": {
			registry.ErrUnauthenticated, "an access token is required",
			map[string]any{"code": "UNAUTHENTICATED"},
		},
		"forbidden": {
			registry.ErrForbidden, "the access token does not allow this",
			map[string]any{"code": "FORBIDDEN"},
		},
		"unavailable": {
			&storage.UnavailableError{RetryAfter: 1500 * time.Millisecond, Cause: cause}, "database is unavailable",
			map[string]any{"code": "UNAVAILABLE", "retryAfterMs": 1500.0},
		},
		"unavailable for want of time": {
			&storage.UnavailableError{RetryAfter: time.Second, Cause: context.DeadlineExceeded}, "database is unavailable",
			map[string]any{"code": "UNAVAILABLE", "retryAfterMs": 1000.0},
		},
		"overloaded": {
			&storage.OverloadedError{RetryAfter: 10*time.Millisecond + 1}, "database is overloaded",
			map[string]any{"code": "OVERLOADED", "retryAfterMs": 11.0},
		},
		"deadline": {
			context.DeadlineExceeded, "operation did not finish in time",
			map[string]any{"code": "TIMEOUT"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, failing(fmt.Errorf("look up ann at /var/lib: %w", test.err)), graph.Options{})

			got := c.ask(askAnn)

			require.Equal(t, http.StatusOK, got.status)
			response := got.decode(t)
			require.Equal(t, map[string]any{"usernameAvailable": nil}, response.Data)
			require.Len(t, response.Errors, 1)
			require.Equal(t, test.message, response.Errors[0].Message)
			require.Equal(t, test.extensions, response.Errors[0].Extensions)
			require.Equal(t, []any{"usernameAvailable"}, response.Errors[0].Path)
			require.NotContains(t, got.body, "10.0.0.7")
		})
	}
}

func TestUnknownErrorsAreMaskedAndLogged(t *testing.T) {
	t.Parallel()
	c := setup(t, failing(errors.New("dial tcp 10.0.0.7:5432")), graph.Options{})

	got := c.ask(askAnn)

	shown := got.decode(t).Errors[0]
	require.Equal(t, "internal error", shown.Message)
	require.Equal(t, "INTERNAL", shown.Extensions["code"])
	require.NotContains(t, got.body, "10.0.0.7")
	id := shown.Extensions["requestId"].(string)
	require.NotEmpty(t, id)
	require.Contains(t, c.logs.String(), `"requestId":"`+id+`"`)
	require.Contains(t, c.logs.String(), "dial tcp 10.0.0.7:5432")
	require.NotEqual(t, id, c.ask(askAnn).decode(t).Errors[0].Extensions["requestId"])
}

func TestTheCauseOfUnavailabilityIsLogged(t *testing.T) {
	t.Parallel()
	c := setup(t, failing(&storage.UnavailableError{Cause: errors.New("connection refused")}), graph.Options{})

	c.ask(askAnn)

	require.Contains(t, c.logs.String(), "connection refused")
}

func TestAPanicIsOneFailedField(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{check: func(_ context.Context, name string) (registry.Availability, error) {
		if name == "bob" {
			panic("secret of bob")
		}
		return free(name), nil
	}}, graph.Options{})

	got := c.ask(`{ a: usernameAvailable(name: "ann") { available } b: usernameAvailable(name: "bob") { available } }`)

	response := got.decode(t)
	require.Equal(t, map[string]any{"a": map[string]any{"available": true}, "b": nil}, response.Data)
	require.Equal(t, "INTERNAL", response.Errors[0].Extensions["code"])
	require.NotContains(t, got.body, "secret of bob")
	require.NotContains(t, got.body, "goroutine")
	require.Contains(t, c.logs.String(), "secret of bob")
	require.Contains(t, c.logs.String(), "errors_test.go")
}

func TestASlowOperationTimesOut(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{check: func(ctx context.Context, _ string) (registry.Availability, error) {
		<-ctx.Done()
		return registry.Availability{}, fmt.Errorf("look up: %w", ctx.Err())
	}}, graph.Options{Timeout: time.Millisecond})

	got := c.ask(askAnn)

	require.Equal(t, "TIMEOUT", got.decode(t).Errors[0].Extensions["code"])
	require.Empty(t, c.logs.String())
}

func TestAnOperationThatNeverBegan(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{Timeout: time.Nanosecond})

	c.ask(askAnn).requireRefused(t, http.StatusServiceUnavailable, "TIMEOUT")
}
