package app_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

// production is a replica on a database of its own, as serve runs it.
func production(t *testing.T, change func(*app.Options)) *app.Replica {
	t.Helper()
	opts := namedOptions(t, shared.Database(t))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	change(&opts)
	return start(t, opts)
}

const (
	ofOwnAccount = `{ holdings { kind canonical } }`
	ofAnybody    = `{ usernameOwner(name: "ada") }`
)

func TestADemoGivesTokensAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := production(t, func(o *app.Options) { o.Demo, o.DataDir = true, dir })
	var greeting bytes.Buffer
	r.Greet(&greeting)
	find := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(greeting.String())
		require.NotNil(t, found, greeting.String())
		return found[1]
	}
	_, page := call(t, http.MethodPost, "http://"+r.HTTPAddr()+"/demo/token", `{"subject": "user:7"}`)
	var fromPage struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(page), &fromPage))
	minted, err := app.DemoToken(dir, app.JWT{Issuer: "namegate", Audience: "namegate"}, app.Grant{Subject: "user:8", TTL: time.Hour})
	require.NoError(t, err)

	for _, user := range []string{find(`USER_TOKEN=(\S+)`), fromPage.Token, minted} {
		_, answer := queryAs(t, r, user, ofOwnAccount)
		require.JSONEq(t, `{"data": {"holdings": []}}`, answer)
		status, answer := queryAs(t, r, user, ofAnybody)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, answer, `"FORBIDDEN"`)
	}
	_, answer := queryAs(t, r, find(`SERVICE_TOKEN=(\S+)`), ofAnybody)
	require.JSONEq(t, `{"data": {"usernameOwner": null}}`, answer)
	require.Contains(t, query(t, r, ofOwnAccount), `"UNAUTHENTICATED"`)
	status, answer := queryAs(t, r, minted[:len(minted)-4]+"AAAA", ofOwnAccount)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, answer, `"UNAUTHENTICATED"`)
}

func TestWithoutADemoNoTokenIsGivenAway(t *testing.T) {
	t.Parallel()
	r := production(t, func(*app.Options) {})
	status, _ := call(t, http.MethodPost, "http://"+r.HTTPAddr()+"/demo/token", `{"subject": "user:7"}`)
	require.Equal(t, http.StatusNotFound, status)
	var greeting bytes.Buffer
	r.Greet(&greeting)
	require.NotContains(t, greeting.String(), "TOKEN")
	require.Contains(t, query(t, r, ofOwnAccount), `"UNAUTHENTICATED"`)
	require.Contains(t, check(t, r, "ada"), `"available":true`)
}
