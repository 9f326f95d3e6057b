package graph

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// maxErrors is how many errors one refused document is told: validation finds
// one or more for each of its tokens. Failed fields all keep their own.
const maxErrors = 10

// refusal answers a request that made no operation.
type refusal struct {
	status        int
	code, message string
	allow         string // the methods allowed instead, for 405
	challenge     string // how to authenticate, for 401
}

// The refusals. None of them tells anything of the request, which may be a
// forged one.
var (
	notAcceptable    = &refusal{status: http.StatusNotAcceptable, code: codeBadUserInput, message: "Accept names neither " + mediaGraphQL + " nor " + mediaJSON}
	wrongMethod      = &refusal{status: http.StatusMethodNotAllowed, code: codeBadUserInput, message: "method must be GET or POST", allow: "GET, POST"}
	mutationByGET    = &refusal{status: http.StatusMethodNotAllowed, code: codeBadUserInput, message: "GET is for queries only", allow: "POST"}
	secretByGET      = &refusal{status: http.StatusMethodNotAllowed, code: codeBadUserInput, message: "reservation is served by POST only, as its token is a secret", allow: "POST"}
	wrongContentType = &refusal{status: http.StatusUnsupportedMediaType, code: codeBadUserInput, message: "Content-Type must be application/json in UTF-8"}
	forbidden        = &refusal{status: http.StatusForbidden, code: codeForbidden, message: "request comes from a page of another origin, or not from a script"}
	bodyTooLarge     = &refusal{status: http.StatusRequestEntityTooLarge, code: codeOperationTooLarge, message: "body is longer than 16 KiB"}
	urlTooLong       = &refusal{status: http.StatusRequestURITooLong, code: codeOperationTooLarge, message: "URL is longer than 4 KiB"}
	unreadable       = &refusal{status: http.StatusBadRequest, code: codeBadUserInput, message: "body could not be read"}
	notUnicode       = &refusal{status: http.StatusBadRequest, code: codeBadUserInput, message: "request is not well-formed Unicode in UTF-8"}
	badParameters    = &refusal{status: http.StatusBadRequest, code: codeBadUserInput, message: "request is not JSON with query, operationName, variables and extensions"}
	badEndUser       = &refusal{status: http.StatusBadRequest, code: codeBadUserInput, message: endUserHeader + " must be given once, as an IPv4 or IPv6 address"}
	noQuery          = &refusal{status: http.StatusBadRequest, code: codeBadUserInput, message: "query is missing"}
)

// unauthenticated refuses a request whose access token is not good (RFC 6750,
// section 3.1). The status is the same for every media type, as HTTP itself refuses.
func unauthenticated(err error) *refusal {
	return &refusal{
		status: http.StatusUnauthorized, code: codeUnauthenticated, message: err.Error(),
		challenge: `Bearer error="invalid_token"`,
	}
}

func writeRefusal(w http.ResponseWriter, media string, r *refusal) {
	if r.allow != "" {
		w.Header().Set("Allow", r.allow)
	}
	if r.challenge != "" {
		w.Header().Set("WWW-Authenticate", r.challenge)
	}
	write(w, media, r.status, gqlerror.List{refuse(r.code, "%s", r.message)}, nil)
}

func writeResponse(w http.ResponseWriter, media string, r *graphql.Response) {
	status := statusOf(media, r)
	if status == http.StatusTooManyRequests {
		setRetryAfter(w.Header(), r.Errors)
	}
	write(w, media, status, r.Errors, r.Data)
}

// statusOf is the HTTP status of a GraphQL response. Whatever was executed gets
// 200, failed fields or not. A limit gets 429. Another request error gets 400, but 200 for a client that
// reads only application/json, as such clients take any other status for one
// from a proxy.
func statusOf(media string, r *graphql.Response) int {
	switch {
	case r.Data != nil:
		return http.StatusOK
	case r.Errors[0].Extensions["code"] == codeInternal:
		return http.StatusInternalServerError
	case r.Errors[0].Extensions["code"] == codeRateLimited:
		return http.StatusTooManyRequests
	case r.Errors[0].Extensions["code"] == codeTimeout:
		return http.StatusServiceUnavailable
	case media == mediaJSON:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// Header values, shared by all responses.
var (
	contentTypes = map[string][]string{
		mediaGraphQL: {mediaGraphQL + "; charset=utf-8"},
		mediaJSON:    {mediaJSON + "; charset=utf-8"},
	}
	noStore = []string{"no-store"}
	nosniff = []string{"nosniff"}
)

// responses are buffers for what is sent.
var responses = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write sends a response. One without data has no such key: the request failed
// before execution.
func write(w http.ResponseWriter, media string, status int, errs gqlerror.List, data json.RawMessage) {
	body := responses.Get().(*bytes.Buffer)
	defer responses.Put(body)
	body.Reset()
	separator := byte('{')
	if data == nil {
		errs = errs[:min(len(errs), maxErrors)]
	}
	if len(errs) > 0 {
		body.WriteString(`{"errors":`)
		body.Write(marshalErrors(errs))
		separator = ','
	}
	if data != nil {
		body.WriteByte(separator)
		body.WriteString(`"data":`)
		body.Write(data)
	}
	body.WriteByte('}')
	setHeader(w.Header(), media, body.Len())
	w.WriteHeader(status)
	w.Write(body.Bytes())
}

func marshalErrors(errs gqlerror.List) []byte {
	text, err := json.Marshal(errs)
	if err != nil {
		panic(err) // strings, numbers and maps of them: a bug
	}
	return text
}

func setHeader(header http.Header, media string, length int) {
	header["Content-Type"] = contentTypes[media]
	header["Content-Length"] = []string{strconv.Itoa(length)}
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = nosniff
	header.Add("Vary", "Accept")
}
