package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxRefusal is how much is told of a refusal.
const maxRefusal = 200

// Ask has the replica at an address (host:port) of admin listeners verify its layers. It
// fails when the replica cannot be reached, refuses, falls silent, or ends before it has a
// report.
func Ask(ctx context.Context, client *http.Client, address string, r Request, progress func(Findings)) (Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer waiting.Stop()
	report, err := ask(ctx, client, address, r, progress, waiting)
	if err != nil && context.Cause(ctx) != nil {
		return Report{}, context.Cause(ctx)
	}
	return report, err
}

var errSilent = errors.New("the replica does not answer")

// ask puts waiting off with each line.
func ask(ctx context.Context, client *http.Client, address string, r Request, progress func(Findings), waiting *time.Timer) (Report, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Report{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+Path, bytes.NewReader(body))
	if err != nil {
		return Report{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
		return Report{}, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(text))
	}
	return follow(response.Body, progress, waiting)
}

// follow reads the lines of an answer.
func follow(lines io.Reader, progress func(Findings), waiting *time.Timer) (Report, error) {
	decoder := json.NewDecoder(lines)
	for {
		var m message
		if err := decoder.Decode(&m); err != nil {
			return Report{}, fmt.Errorf("the replica went away: %w", err)
		}
		waiting.Reset(silence)
		switch {
		case m.Report != nil:
			return *m.Report, nil
		case m.Progress != nil:
			progress(*m.Progress)
		case m.Error != "":
			return Report{}, errors.New(m.Error)
		}
	}
}
