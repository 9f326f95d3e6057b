package edge

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover turns a panic of next into a 500 without details and logs it with its
// stack. http.ErrAbortHandler passes, as it asks for the connection to be cut.
// An answer that has begun cannot be taken back; then the connection is cut too.
func Recover(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := &beginning{ResponseWriter: w}
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason)
			}
			log.ErrorContext(r.Context(), "handler panicked",
				"method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			if begun.written {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "internal error", http.StatusInternalServerError)
		}()
		next.ServeHTTP(begun, r)
	})
}

// beginning notes whether an answer has begun.
type beginning struct {
	http.ResponseWriter
	written bool
}

func (b *beginning) WriteHeader(status int) {
	b.written = true
	b.ResponseWriter.WriteHeader(status)
}

func (b *beginning) Write(p []byte) (int, error) {
	b.written = true
	return b.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (b *beginning) Unwrap() http.ResponseWriter { return b.ResponseWriter }
