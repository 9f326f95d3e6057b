package graph_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/stretchr/testify/require"

	"namegate/graph"
)

// times repeats what f makes of each number from 0 to n-1.
func times(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

func TestLargeOperationsAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{Introspection: true})
	alias := func(i int) string { return fmt.Sprintf("a%d: usernameAvailable(name: \"ann\") { available } ", i) }
	deep := func(levels int) string {
		return "{ __schema { types { " + strings.Repeat("ofType { ", levels-3) + "name" + strings.Repeat(" }", levels)
	}
	wide := func(fields int) string {
		field := func(i int) string { return fmt.Sprintf("a%d: name ", i) }
		return "{ __schema { types { ...F ...F " + times(fields-202, field) + "} } } fragment F on __Type { " + times(100, field) + "}"
	}
	same := func(fields int) string {
		return "{ __schema { types { name " + strings.Repeat("... { name } ", fields-1) + "} } }"
	}
	list := func(names int) string {
		return "{ usernamesAvailable(names: [" + strings.Repeat("\"\" ", names) + "]) { available } }"
	}
	suggestions := func(n int) string {
		one := func(i int) string { return fmt.Sprintf("s%d: suggestions ", i) }
		return "{ usernameAvailable(name: \"ann\") { " + times(n-1, one) + "...F } } fragment F on UsernameAvailability { suggestions }"
	}
	for name, pair := range map[string]struct{ fits, tooLarge string }{
		"suggestions":         {suggestions(4), suggestions(5)},
		"aliases":             {"{ " + times(20, alias) + "}", "{ " + times(21, alias) + "}"},
		"aliases in fragment": {"{ ...F } fragment F on Query { " + times(20, alias) + "}", "{ x: __typename ...F } fragment F on Query { " + times(20, alias) + "}"},
		"aliases inline":      {"{ ... { " + times(20, alias) + "} }", "{ ... { " + times(21, alias) + "} }"},
		"depth":               {deep(16), deep(17)},
		"fields":              {wide(400), wide(401)},
		"repeats":             {same(20), same(21)},
		"unused fragment":     {"{ __typename }", "{ __typename } fragment F on Query { " + strings.Repeat("__typename ", 21) + "}"},
		"tokens":              {list(988), list(989)},
	} {
		require.Equal(t, http.StatusOK, c.ask(pair.fits).status, name)
		c.ask(pair.tooLarge).requireRefused(t, http.StatusBadRequest, "OPERATION_TOO_LARGE")
	}
}

// The work doubles with each level for whoever walks every spread anew, and a
// count of 2^64 fields is 0 for whoever forgets to stop counting.
func TestDoublingFragmentsAreRefusedFast(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{Introspection: true})
	for name, test := range map[string]struct {
		levels              int
		root, level, bottom string // of level, the first %d is its number
	}{
		"at the root":  {80, "{ ...F0 }", "fragment F%d on Query { ...F%d ...F%[2]d } ", "fragment F80 on Query { __typename }"},
		"below fields": {40, "{ __schema { types { ...F0 } } }", "fragment F%d on __Type { a: ofType { ...F%d } b: ofType { ...F%[2]d } } ", "fragment F40 on __Type { name }"},
		"inline":       {40, "{ ...F0 }", "fragment F%d on Query { ... { ...F%d } ... { ...F%[2]d } } ", "fragment F40 on Query { __typename }"},
	} {
		start := time.Now()
		got := c.ask(test.root + times(test.levels, func(i int) string { return fmt.Sprintf(test.level, i, i+1) }) + test.bottom)
		require.Less(t, time.Since(start), time.Second, name)
		got.requireRefused(t, http.StatusBadRequest, "OPERATION_TOO_LARGE")
		require.NotContains(t, got.body, "tokens", name)
	}
}

func TestFragmentCyclesAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})

	c.ask(`{ ...A } fragment A on Query { ...B } fragment B on Query { ...A ...Nope }`).
		requireRefused(t, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
}

func TestLongRequestsAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	body := func(size int) string {
		const frame = `{"query":"{ __typename }","variables":{"x":""}}`
		return frame[:len(frame)-3] + strings.Repeat("a", size-len(frame)) + frame[len(frame)-3:]
	}
	c.post(body(16 << 10)).data(t)
	c.post(body(16<<10+1)).requireRefused(t, http.StatusRequestEntityTooLarge, "OPERATION_TOO_LARGE")
	chunked := struct{ *strings.Reader }{strings.NewReader(body(16<<10 + 1))} // of unknown length
	c.do(http.MethodPost, c.url, chunked, "Content-Type", "application/json").
		requireRefused(t, http.StatusRequestEntityTooLarge, "OPERATION_TOO_LARGE")
	c.get(`{ __typename }`, `{"x":"`+strings.Repeat("a", 4000)+`"}`).data(t)
	c.get(`{ __typename }`, `{"x":"`+strings.Repeat("a", 4096)+`"}`).requireRefused(t, http.StatusRequestURITooLong, "OPERATION_TOO_LARGE")
}

func TestHugeArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	const many = `query ($n: [String!]!) { usernamesAvailable(names: $n) { available } }`
	c.ask(checkDocument, "name", strings.Repeat("a", 1<<20)).requireRefused(t, http.StatusRequestEntityTooLarge, "OPERATION_TOO_LARGE")
	c.ask(many, "n", make([]string, 10_000)).requireRefused(t, http.StatusRequestEntityTooLarge, "OPERATION_TOO_LARGE")

	got := c.ask(many, "n", make([]string, 21)).decode(t)

	require.Nil(t, got.Data["usernamesAvailable"])
	require.Len(t, got.Errors, 1)
	require.Equal(t, "BAD_USER_INPUT", got.Errors[0].Extensions["code"])
}

func TestErrorsOfOneDocumentAreCut(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})

	got := c.ask("{ __typename " + strings.Repeat("@nope ", 400) + "}")

	got.requireRefused(t, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	require.Len(t, got.decode(t).Errors, 10)
}

func TestIntrospectionIsASwitch(t *testing.T) {
	t.Parallel()
	off := setup(t, &fakeRegistry{}, graph.Options{})
	for _, document := range []string{
		introspection.Query, `{ __type(name: "Query") { name } }`, `{ ...F } fragment F on Query { x: __schema { queryType { name } } }`,
	} {
		off.ask(document).requireRefused(t, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	}
	off.ask(`{ __typename usernameAvailable(name: "ann") { __typename } }`).data(t)

	on := setup(t, &fakeRegistry{}, graph.Options{Introspection: true})
	require.NotEmpty(t, on.ask(introspection.Query).data(t)["__schema"])
}

func TestSuggestionsFollowIntrospection(t *testing.T) {
	t.Parallel()
	off := setup(t, &fakeRegistry{}, graph.Options{})
	on := setup(t, &fakeRegistry{}, graph.Options{Introspection: true})
	for _, document := range []string{
		`{ usernameAvailabl(name: "ann") { available } }`,
		`{ usernameAvailable(nam: "ann") { available } }`,
		`{ usernameAvailable(name: "ann") }`,
		`{ ...F } fragment F on Quer { __typename }`,
		`mutation { cancelReservation(input: {toke: "x"}) { __typename } }`,
	} {
		require.NotContains(t, off.ask(document).body, "Did you mean", document)
		require.Contains(t, on.ask(document).body, "Did you mean", document)
	}
}
