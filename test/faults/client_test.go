package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is what a replica says of a name.
type answer struct {
	Requested string
	Available bool
	DecidedBy string
	AsOf      time.Time

	code           string // why there is no answer; "" when there is one
	sent, received time.Time
}

// byFilter says that the filter called the name free.
func (a answer) byFilter() bool { return a.code == "" && a.DecidedBy == "FILTER" }

type fault struct {
	Message    string
	Path       []any
	Extensions struct{ Code string }
}

// ask posts an operation of an anonymous caller's and reads its data.
func (r *replica) ask(ctx context.Context, query string, variables, data any) ([]fault, error) {
	return r.askAs(ctx, "", query, variables, data)
}

// askAs posts an operation with an access token, if any.
func (r *replica) askAs(ctx context.Context, access, query string, variables, data any) ([]fault, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url.Load().(string)+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if !strings.HasPrefix(query, "mutation") {
		request.Header["Idempotency-Key"] = nil // not sent: asked again when the server closes an idle connection
	}
	if access != "" {
		request.Header.Set("Authorization", "Bearer "+access)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	envelope := struct {
		Data   any
		Errors []fault
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		return nil, fmt.Errorf("read answer of status %d: %w", response.StatusCode, err)
	}
	return envelope.Errors, nil
}
