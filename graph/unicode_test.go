package graph_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/graph"
)

// What is asked comes back as it was, or is refused.
func TestNamesAreNeverCorrupted(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for _, name := range []string{"", "a\x00b", "\u001f\u007f\u2028", "😀", `\ud800`, `"\`, "\ufffd", "<&>"} {
		got := c.ask(checkDocument, "name", name).data(t)
		require.Equal(t, name, got["usernameAvailable"].(map[string]any)["requested"])
	}
	require.Equal(t, "😀", c.post(`{"query":"{ usernameAvailable(name: \"\\ud83d\\ude00\") { requested } }"}`).
		data(t)["usernameAvailable"].(map[string]any)["requested"])
	require.Equal(t, "😀", c.post(`{"query":"{ usernameAvailable(name: \"\ud83d\ude00\") { requested } }"}`).
		data(t)["usernameAvailable"].(map[string]any)["requested"])
}

func TestWhatIsNotUnicodeIsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for _, body := range []string{
		"{\"query\":\"{ usernameAvailable(name: \\\"\xff\\\") { requested } }\"}",
		"{\"query\":\"{ __typename }\",\"variables\":{\"x\":\"\xc3\"}}",
		`{"query":"{ __typename }","variables":{"x":"\ud800"}}`,
		`{"query":"{ __typename }","variables":{"x":"\ud800\u0041"}}`,
		`{"query":"{ __typename }","variables":{"x":"\udc00\ud800"}}`,
		`{"query":"{ __typename }","variables":{"x":"\\\ud800"}}`,
		`{"query":"{ usernameAvailable(name: \"\\ud800\") { requested } }"}`,
	} {
		c.post(body).requireRefused(t, http.StatusBadRequest, "BAD_USER_INPUT")
	}
	for _, query := range []string{
		"?query=%7B__typename%7D%23%ff", "?query=%7B__typename%7D&operationName=%ff", "?query=%7B__typename%7D&variables=%7B%22x%22:%22%ff%22%7D",
	} {
		c.do(http.MethodGet, c.url+query, nil).requireRefused(t, http.StatusBadRequest, "BAD_USER_INPUT")
	}
}

// A variable with a default may still be null (GraphQL, section 6.4.1).
func TestNullIsNoName(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})

	got := c.ask(`query ($n: String = "ann") { usernameAvailable(name: $n) { requested } }`, "n", nil).decode(t)

	require.Nil(t, got.Data["usernameAvailable"])
	require.Len(t, got.Errors, 1)
	require.Equal(t, "BAD_USER_INPUT", got.Errors[0].Extensions["code"])
}
