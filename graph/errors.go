package graph

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/time/rate"

	"namegate/gateway/registry"
	"namegate/storage"
)

// The values of extensions.code. Clients branch on them, so they never change.
const (
	codeParseFailed       = errcode.ParseFailed
	codeValidationFailed  = errcode.ValidationFailed
	codeBadUserInput      = "BAD_USER_INPUT"
	codeOperationTooLarge = "OPERATION_TOO_LARGE"
	codeUnauthenticated   = "UNAUTHENTICATED"
	codeForbidden         = "FORBIDDEN"
	codeRateLimited       = "RATE_LIMITED"
	codeOverloaded        = "OVERLOADED"
	codeUnavailable       = "UNAVAILABLE"
	codeTimeout           = "TIMEOUT"
	codeInternal          = "INTERNAL"
)

// retryAfterMs is how long to wait before the same call may succeed, in milliseconds.
const retryAfterMs = "retryAfterMs"

// fault is all that a client is told of an error.
type fault struct {
	code       string
	message    string
	retryAfter time.Duration // only where the code promises it
}

// faultOf is the table from errors to codes. An *UnavailableError comes before
// the context's errors, as its cause is often one of them.
func faultOf(err error) fault {
	if e, ok := errors.AsType[*registry.InputError](err); ok {
		return fault{code: codeBadUserInput, message: e.Message}
	}
	if errors.Is(err, registry.ErrUnauthenticated) {
		return fault{code: codeUnauthenticated, message: registry.ErrUnauthenticated.Error()}
	}
	if errors.Is(err, registry.ErrForbidden) {
		return fault{code: codeForbidden, message: registry.ErrForbidden.Error()}
	}
	if e, ok := errors.AsType[*storage.UnavailableError](err); ok {
		return fault{code: codeUnavailable, message: e.Error(), retryAfter: e.RetryAfter}
	}
	if e, ok := errors.AsType[*storage.OverloadedError](err); ok {
		return fault{code: codeOverloaded, message: e.Error(), retryAfter: e.RetryAfter}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault{code: codeTimeout, message: "operation did not finish in time"}
	}
	return fault{code: codeInternal, message: "internal error"}
}

// extensions of an error whose request id is id, "" for none.
func (f fault) extensions(id string) map[string]any {
	shown := map[string]any{"code": f.code}
	switch f.code {
	case codeUnavailable, codeOverloaded:
		shown[retryAfterMs] = milliseconds(f.retryAfter)
	case codeInternal:
		shown["requestId"] = id
	}
	return shown
}

// presenter turns errors into what clients see, and logs the causes that it
// keeps from them.
type presenter struct {
	logger *slog.Logger
	// unavailable keeps an outage, which fails every operation, from filling the log.
	unavailable *rate.Sometimes
}

func newPresenter(logger *slog.Logger) presenter {
	return presenter{logger, &rate.Sometimes{Interval: time.Second}}
}

// present is the executor's error presenter. It lets through what the executor
// says of the client's own document, which carries a code and no cause.
func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	var shown gqlerror.Error
	if e, ok := errors.AsType[*gqlerror.Error](err); ok {
		if e.Err == nil && e.Extensions["code"] != nil {
			return e
		}
		shown.Path, shown.Locations = e.Path, e.Locations
	}
	f, id := faultOf(err), ""
	if f.code == codeInternal {
		id = rand.Text()
	}
	p.log(ctx, f, id, shown.Path.String(), err)
	shown.Message, shown.Extensions = f.message, f.extensions(id)
	return &shown
}

func (p presenter) log(ctx context.Context, f fault, id, path string, err error) {
	switch f.code {
	case codeInternal:
		p.logger.ErrorContext(ctx, "operation failed", "requestId", id, "path", path, "cause", causeOf(err))
	case codeUnavailable:
		p.unavailable.Do(func() {
			p.logger.WarnContext(ctx, "operation unavailable; told once a second", "path", path, "cause", causeOf(err))
		})
	}
}

// causeOf undoes the wrapping of the executor and of *storage.UnavailableError,
// whose texts are for clients.
func causeOf(err error) error {
	if e, ok := errors.AsType[*storage.UnavailableError](err); ok && e.Cause != nil {
		return e.Cause
	}
	if e, ok := errors.AsType[*gqlerror.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// recovered is the executor's recover function: a panic becomes an error whose
// stack is logged with it.
func recovered(_ context.Context, panicked any) error {
	return fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
}

// refuse makes an error in the client's own request.
func refuse(code, format string, args ...any) *gqlerror.Error {
	e := gqlerror.Errorf(format, args...)
	errcode.Set(e, code)
	return e
}
