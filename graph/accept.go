package graph

import (
	"strconv"
	"strings"
)

// The media types of responses, by GraphQL over HTTP.
const (
	mediaGraphQL = "application/graphql-response+json"
	mediaJSON    = "application/json"
)

// negotiate picks the media type of the response from the values of Accept (RFC
// 9110, section 12.5.1). Among equals the one made for GraphQL wins if it is
// named, else plain JSON. It is false when the client takes neither.
func negotiate(accept []string) (string, bool) {
	if len(accept) == 0 || len(accept) == 1 && accept[0] == "" {
		return mediaJSON, true
	}
	var graphQL, json preference
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(item, ";")
			switch q := quality(params); strings.ToLower(strings.TrimSpace(media)) {
			case mediaGraphQL:
				graphQL.set(exact, q)
			case mediaJSON:
				json.set(exact, q)
			case "application/*":
				graphQL.set(subtypes, q)
				json.set(subtypes, q)
			case "*/*":
				graphQL.set(anything, q)
				json.set(anything, q)
			}
		}
	}
	switch {
	case graphQL.q > json.q, graphQL.q == json.q && graphQL.q > 0 && graphQL.by == exact:
		return mediaGraphQL, true
	default:
		return mediaJSON, json.q > 0
	}
}

// specificity of a media range; a more specific one overrides the others.
type specificity int

const (
	anything specificity = iota + 1
	subtypes
	exact
)

// preference is how much a client wants one media type. The zero value is: not at all.
type preference struct {
	by specificity
	q  float64
}

func (p *preference) set(by specificity, q float64) {
	if by >= p.by {
		p.by, p.q = by, q
	}
}

// quality is the weight among the parameters of a media range; 1 when there is
// none, 0 when it is not a number.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}
