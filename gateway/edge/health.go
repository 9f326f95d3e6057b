package edge

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// Phase is where a replica is in its life.
type Phase int32

// The phases of a replica, in order.
const (
	Starting Phase = iota
	Serving
	Stopping
)

// Database is the state of one database as probes see it: never its address.
type Database struct {
	Name string `json:"name"`
	Up   bool   `json:"up"`
}

// DatabasesFunc asks the databases how they are. It must return within a second,
// which is as long as probes usually wait.
type DatabasesFunc func(ctx context.Context) []Database

// Health answers probes. Its zero value is a replica that starts and has no
// databases yet. It is safe for concurrent use.
type Health struct {
	phase     atomic.Int32
	databases atomic.Pointer[DatabasesFunc]
}

// SetPhase moves the replica on.
func (h *Health) SetPhase(phase Phase) { h.phase.Store(int32(phase)) }

// Watch has readiness judged by what databases returns.
func (h *Health) Watch(databases DatabasesFunc) { h.databases.Store(&databases) }

// Handler serves /livez and /readyz.
//
// /livez answers 200 as long as the process serves at all. /readyz answers 200
// while requests should be sent here, else 503, with a Readiness as body.
func (h *Health) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "live"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		readiness := h.Readiness(r.Context())
		status := http.StatusServiceUnavailable
		if readiness.Ready {
			status = http.StatusOK
		}
		writeJSON(w, status, readiness)
	})
	return mux
}

// Retire has each answer of next close its connection while the replica stops. A proxy that
// keeps connections then makes a new one for its next call, and that elsewhere; none is left
// to be closed just when a call comes on it.
func (h *Health) Retire(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Phase(h.phase.Load()) == Stopping {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Readiness is the body of /readyz.
type Readiness struct {
	Ready bool `json:"ready"`
	// Status is "starting", "ready", "degraded" (a database is away), "unavailable"
	// (all are) or "stopping".
	Status    string     `json:"status"`
	Databases []Database `json:"databases"`
}

// Readiness says whether requests should be sent here. One database away does
// not make a replica unready: it is away for every replica, and to take them all
// out would turn an outage of some names into one of all.
func (h *Health) Readiness(ctx context.Context) Readiness {
	r := Readiness{Databases: []Database{}}
	if list := h.databases.Load(); list != nil {
		r.Databases = (*list)(ctx)
	}
	switch Phase(h.phase.Load()) {
	case Starting:
		r.Status = "starting"
	case Stopping:
		r.Status = "stopping"
	default:
		r.Ready, r.Status = judge(r.Databases)
	}
	return r
}

func judge(databases []Database) (ready bool, status string) {
	up := 0
	for _, d := range databases {
		if d.Up {
			up++
		}
	}
	switch up {
	case len(databases):
		return true, "ready"
	case 0:
		return false, "unavailable"
	default:
		return true, "degraded"
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// The client may be gone; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(body)
}
