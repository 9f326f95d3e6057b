package verify

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"sync"
	"time"
)

const (
	// Path is where replicas verify, on their admin listeners.
	Path = "/verify"
	// maxBody is how many bytes a request may have.
	maxBody = 1 << 10
	// writeTimeout is how long whoever asked may keep a line waiting.
	writeTimeout = 10 * time.Second
	// beat is how often a line comes at least, and silence how long one is waited for: a
	// replica that hangs must not keep others from being asked.
	beat, silence = 5 * time.Second, 30 * time.Second
)

// message is one line of an answer: how far it is, how it ended, or nothing, as a sign of life.
type message struct {
	Progress *Findings `json:"progress,omitempty"`
	Report   *Report   `json:"report,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// Server has one Verifier work for who asks over HTTP, one at a time. It belongs on a
// listener that the public does not reach: a verification reads whole tables.
type Server struct {
	verifier *Verifier
	closed   context.Context
	close    context.CancelFunc
	running  sync.Mutex
}

// NewServer serves a Verifier.
func NewServer(v *Verifier) *Server {
	closed, stop := context.WithCancel(context.Background())
	return &Server{verifier: v, closed: closed, close: stop}
}

// Close ends the verification under way, and waits for that.
func (s *Server) Close() {
	s.close()
	s.running.Lock() // for ever: none begins any more
}

// ServeHTTP verifies, and answers with lines of JSON.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A page in an operator's browser can send no such request to another host by itself.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	var request Request
	if err := errors.Join(body.Decode(&request), request.Validate()); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.running.TryLock() {
		http.Error(w, "a verification is under way, or the replica stops", http.StatusConflict)
		return
	}
	defer s.running.Unlock()
	s.answer(w, r, request)
}

// answer verifies, until whoever asked has left.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, request Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.closed, cancel)()
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines := make(chan message)
	go func() {
		defer close(lines)
		lines <- message{}
		report, err := s.verifier.Run(ctx, request, func(f Findings) { lines <- message{Progress: &f} })
		if err != nil {
			lines <- message{Error: err.Error()}
		} else {
			lines <- message{Report: &report}
		}
	}()
	send(w, lines, cancel)
}

// send writes lines until they end, with signs of life between them. When one cannot be
// written it calls leave.
func send(w http.ResponseWriter, lines <-chan message, leave func()) {
	control, encoder := http.NewResponseController(w), json.NewEncoder(w)
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for {
		var m message
		select {
		case <-alive.C:
		case line, more := <-lines:
			if !more {
				return
			}
			m = line
		}
		// Where there is no deadline to set, a server keeps its own.
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err := errors.Join(encoder.Encode(m), control.Flush()); err != nil {
			leave()
		}
	}
}
