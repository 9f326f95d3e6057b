package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"time"
)

// serveEcho serves handleEcho until the process is ended.
func serveEcho() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info(readyMessage, "http", listener.Addr().String())
	return http.Serve(listener, http.HandlerFunc(handleEcho))
}

// handleEcho decodes the JSON of a check and encodes that of its answer, and
// does nothing else.
func handleEcho(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Query, OperationName string
		Variables            struct{ Name string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type availability struct {
		Requested  string    `json:"requested"`
		Canonical  string    `json:"canonical"`
		Available  bool      `json:"available"`
		Reason     *string   `json:"reason"`
		Violations []string  `json:"violations"`
		DecidedBy  string    `json:"decidedBy"`
		AsOf       time.Time `json:"asOf"`
	}
	var out struct {
		Data struct {
			UsernameAvailable availability `json:"usernameAvailable"`
		} `json:"data"`
	}
	name := in.Variables.Name
	out.Data.UsernameAvailable = availability{name, name, true, nil, []string{}, "DATABASE", time.Now().UTC()}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // a client that is gone counts its own failure
}

// echo posts checks to a server that decodes and encodes JSON and does nothing else.
func (l *lab) echo(connections int) work {
	var address string
	start := func(ctx context.Context) error {
		if address != "" {
			return nil
		}
		program, err := os.Executable()
		if err == nil {
			address, err = l.startChild(ctx, program, echoArgument)
		}
		return err
	}
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		next := func(body, wanted []byte) ([]byte, []byte) {
			return appendCheck(body, wanted, free, rand.Uint64N(maxIndex), true)
		}
		return traffic{address: address, connections: connections, next: func() source { return next }}.run(ctx, length)
	}
	return work{fmt.Sprintf("JSON echo over HTTP by net/http, %d connections", connections), start, run}
}
