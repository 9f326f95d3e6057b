package graph

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
)

// Limits of one request, in bytes.
const (
	maxBody = 16 << 10
	maxURL  = 4 << 10
)

// readRequest gives the parameters of an operation, by GraphQL over HTTP.
func readRequest(r *http.Request) (*graphql.RawParams, *refusal) {
	params := new(graphql.RawParams)
	var refused *refusal
	switch r.Method {
	case http.MethodPost:
		refused = readPost(r, params)
	case http.MethodGet:
		refused = readGet(r, params)
	default:
		refused = wrongMethod
	}
	switch {
	case refused != nil:
		return nil, refused
	case params.Query == "":
		return nil, noQuery
	case !paired(params.Query):
		return nil, notUnicode
	}
	return params, nil
}

// crossOrigin refuses what a browser sends for a page of another origin.
var crossOrigin = new(http.CrossOriginProtection)

// bodies are buffers for requests, one byte longer than the longest allowed.
var bodies = sync.Pool{New: func() any { return new([maxBody + 1]byte) }}

func readPost(r *http.Request, params *graphql.RawParams) *refusal {
	if !isJSON(r.Header.Get("Content-Type")) {
		return wrongContentType
	}
	if crossOrigin.Check(r) != nil {
		return forbidden
	}
	buffer := bodies.Get().(*[maxBody + 1]byte)
	defer bodies.Put(buffer)
	n, err := io.ReadFull(r.Body, buffer[:])
	switch {
	case err == nil:
		return bodyTooLarge
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return unreadable
	}
	return decode(buffer[:n], params)
}

// isJSON accepts application/json in UTF-8. Browsers send it to another origin
// only after that origin allowed it, unlike the types of forms.
func isJSON(contentType string) bool {
	if contentType == mediaJSON {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset, given := params["charset"]
	return err == nil && media == mediaJSON && (!given || strings.EqualFold(charset, "utf-8"))
}

func readGet(r *http.Request, params *graphql.RawParams) *refusal {
	if len(r.RequestURI) > maxURL {
		return urlTooLong
	}
	if !ownScript(r.Header) {
		return forbidden
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badParameters
	}
	params.Query, params.OperationName = query.Get("query"), query.Get("operationName")
	if !utf8.ValidString(params.Query) || !utf8.ValidString(params.OperationName) {
		return notUnicode
	}
	if refused := decodeParameter(query.Get("variables"), &params.Variables); refused != nil {
		return refused
	}
	return decodeParameter(query.Get("extensions"), &params.Extensions)
}

// ownScript refuses GET by images, links, frames and scripts of other pages,
// which would otherwise spend the checks of whoever looks at such a page. Clients
// that are no browsers send none of these headers (W3C Fetch Metadata).
func ownScript(header http.Header) bool {
	switch header.Get("Sec-Fetch-Mode") {
	case "", "cors", "same-origin":
	default:
		return false
	}
	switch header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	default:
		return false
	}
}

func decodeParameter(text string, into *map[string]any) *refusal {
	if text == "" {
		return nil
	}
	return decode([]byte(text), into)
}

// decode reads JSON, and nothing after it. Numbers become float64, which the
// executor takes for no String.
func decode(text []byte, into any) *refusal {
	if !utf8.Valid(text) || !paired(text) {
		return notUnicode
	}
	if json.Unmarshal(text, into) != nil {
		return badParameters
	}
	return nil
}
