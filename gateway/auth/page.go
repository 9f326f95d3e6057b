package auth

import (
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

const (
	// pageTTL is how long a token for the sign-up page is good.
	pageTTL = time.Hour
	// maxRequest bounds the body of a request for one, in bytes.
	maxRequest = 1 << 10
)

// Handler gives the sign-up page access tokens of accounts, never of back ends:
// POST {"subject": "user:42"} is answered by {"token": "…"}, or by {"error": "…"}
// with a status of 4xx.
//
// Whoever reads a token can be that account, so pages of other origins are
// refused as package graph does, and so is a Host that is not the machine itself:
// a page whose name was pointed here, by DNS rebinding, is of one origin with it.
func (d *Demo) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, refused := d.serve(r)
		if refused != nil {
			if refused.status == http.StatusMethodNotAllowed {
				w.Header().Set("Allow", http.MethodPost)
			}
			write(w, refused.status, map[string]string{"error": refused.text})
			return
		}
		write(w, http.StatusOK, map[string]string{"token": token})
	})
}

// refusal is why no token is given.
type refusal struct {
	status int
	text   string
}

// crossOrigin refuses what a browser sends for a page of another origin.
var crossOrigin = new(http.CrossOriginProtection)

func (d *Demo) serve(r *http.Request) (string, *refusal) {
	switch {
	case r.Method != http.MethodPost:
		return "", &refusal{http.StatusMethodNotAllowed, "method must be POST"}
	case crossOrigin.Check(r) != nil || !isLoopback(r.Host):
		return "", &refusal{http.StatusForbidden, "demo tokens are for pages of this machine only"}
	case !isJSON(r.Header.Get("Content-Type")):
		return "", &refusal{http.StatusUnsupportedMediaType, "Content-Type must be application/json"}
	}
	subject, refused := readSubject(r.Body)
	if refused != nil {
		return "", refused
	}
	token, err := d.Token(Grant{Subject: subject, TTL: pageTTL})
	if err != nil {
		return "", &refusal{http.StatusBadRequest, err.Error()}
	}
	return token, nil
}

func readSubject(body io.Reader) (string, *refusal) {
	text, err := io.ReadAll(io.LimitReader(body, maxRequest+1))
	if err != nil {
		return "", &refusal{http.StatusBadRequest, "body could not be read"}
	}
	if len(text) > maxRequest {
		return "", &refusal{http.StatusRequestEntityTooLarge, "body is longer than 1 KiB"}
	}
	var request struct {
		Subject string `json:"subject"`
	}
	if json.Unmarshal(text, &request) != nil {
		return "", &refusal{http.StatusBadRequest, "body is not JSON with a subject"}
	}
	return request.Subject, nil
}

// isJSON accepts what browsers send to another origin only after it allowed that.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// isLoopback says whether a Host names this machine as itself.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

func write(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// The client may be gone; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(body)
}
