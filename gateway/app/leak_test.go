package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/rediscache/redistest"
)

// dependencies are what a replica needs, or works better with.
type dependencies struct {
	dsns   []string
	server *localpg.Server // of the databases; nil unless it may be broken
	redis  *redistest.Server
}

// damage runs statements in both databases.
func (d dependencies) damage(t *testing.T, statements ...string) {
	t.Helper()
	for _, dsn := range d.dsns {
		for _, s := range statements {
			out, err := exec.CommandContext(t.Context(), "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", s, dsn).CombinedOutput()
			require.NoError(t, err, string(out))
		}
	}
}

// serverBreakages are faults of the server of the databases.
var serverBreakages = map[string]func(t *testing.T, d dependencies){
	"databases are gone":   func(t *testing.T, d dependencies) { require.NoError(t, d.server.Kill()) },
	"databases are silent": func(t *testing.T, d dependencies) { require.NoError(t, d.server.Pause()) },
	"all are gone":         func(t *testing.T, d dependencies) { d.redis.Kill(t); require.NoError(t, d.server.Kill()) },
}

// breakages are all other faults of what a replica depends on.
var breakages = map[string]func(t *testing.T, d dependencies){
	"nothing":                func(*testing.T, dependencies) {},
	"a table is gone":        func(t *testing.T, d dependencies) { d.damage(t, `DROP TABLE holdings CASCADE`) },
	"requests are gone":      func(t *testing.T, d dependencies) { d.damage(t, `DROP TABLE requests CASCADE`) },
	"a column has changed":   func(t *testing.T, d dependencies) { d.damage(t, `ALTER TABLE holdings RENAME COLUMN owner TO renamed`) },
	"vshards are nobody's":   func(t *testing.T, d dependencies) { d.damage(t, `DELETE FROM vshards`) },
	"writes always fail":     func(t *testing.T, d dependencies) { d.damage(t, `ALTER TABLE holdings ADD CHECK (false) NOT VALID`) },
	"a table is locked":      func(t *testing.T, d dependencies) { d.lock(t) },
	"databases take nothing": func(t *testing.T, d dependencies) { d.readOnly(t) },
	"Redis is gone":          func(t *testing.T, d dependencies) { d.redis.Kill(t) },
	"Redis is silent":        func(t *testing.T, d dependencies) { d.redis.Pause(t) },
	"Redis holds rubbish":    func(t *testing.T, d dependencies) { d.rubbish(t) },
}

// lock keeps a table from all others until the test ends.
func (d dependencies) lock(t *testing.T) {
	t.Helper()
	for _, dsn := range d.dsns {
		cmd := exec.CommandContext(t.Context(), "psql", "-XAtq", "-c", `BEGIN`, "-c", `LOCK TABLE holdings`, "-c", `SELECT 'locked'`, "-c", `SELECT pg_sleep(300)`, dsn)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "locked\n", line)
	}
}

// readOnly is what a primary is that has become a standby.
func (d dependencies) readOnly(t *testing.T) {
	t.Helper()
	d.damage(t, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
}

// rubbish makes all entries something else.
func (d dependencies) rubbish(t *testing.T) {
	t.Helper()
	for _, key := range d.redis.Do(t, "KEYS", "*").([]any) {
		d.redis.Do(t, "DEL", key)
		d.redis.Do(t, "LPUSH", key, "rubbish")
	}
}

// everything are calls of all root fields, by who may make them.
var everything = map[string]string{
	"usernameAvailable":  `{ usernameAvailable(name: "ada") { available reason suggestions decidedBy } }`,
	"usernamesAvailable": `{ usernamesAvailable(names: ["ada", "grace", "no!", "root"]) { available reason suggestions } }`,
	"reservation":        `{ reservation(token: "AAAAAAAAAAAAAAAAAAAAAA") { canonical } }`,
	"usernameRedirect":   `{ usernameRedirect(name: "ada") }`,
	"usernameOwner":      `{ usernameOwner(name: "ada") }`,
	"holdings":           `{ holdings(ownerId: "user:1") { canonical } }`,
	"rateLimits":         `{ rateLimits { bucket remaining } }`,
	"reserveUsername":    `mutation { reserveUsername(input: {name: "ada", alternatives: ["grace"], requestId: "REQUEST"}) { __typename ... on MutationError { message } } }`,
	"reserveIdentifiers": `mutation { reserveIdentifiers(input: {requestId: "REQUEST", identifiers: [{kind: USERNAME, value: "lace"}, {kind: EMAIL, value: "ada@example.org"}]}) { __typename ... on MutationError { message } } }`,
	"confirmReservation": `mutation { confirmReservation(input: {token: "TOKEN", ownerId: "user:1", requestId: "REQUEST"}) { __typename ... on MutationError { message } } }`,
	"cancelReservation":  `mutation { cancelReservation(input: {token: "TOKEN"}) { __typename ... on MutationError { message } } }`,
	"renameUsername":     `mutation { renameUsername(input: {to: "turing", ownerId: "user:1", requestId: "REQUEST"}) { __typename ... on MutationError { message } } }`,
	"releaseIdentifier":  `mutation { releaseIdentifier(input: {kind: USERNAME, value: "hopper", ownerId: "user:1", requestId: "REQUEST"}) { __typename ... on MutationError { message } } }`,
	"releaseAccount":     `mutation { releaseAccount(input: {ownerId: "user:1", requestId: "REQUEST"}) { __typename ... on MutationError { message } } }`,
	"takeRateLimit":      `mutation { takeRateLimit(input: {bucket: VERIFY, address: "192.0.2.7"}) { remaining } }`,
}

// codes are those that a call may be refused with when its document is right.
var codes = []string{"BAD_USER_INPUT", "UNAVAILABLE", "OVERLOADED", "TIMEOUT", "INTERNAL"}

// leaks are signs of what is behind a replica, in any answer of it.
var leaks = regexp.MustCompile(`(?i)sqlstate|relation "|column "|constraint|select |insert |pgx|postgres|dial|tcp|[a-z0-9]:[0-9]{4,5}\b|127\.0\.0\.1|\.s\.pgsql|/tmp|/var|\.go\b|goroutine|panic|redis:|wrongtype|db1|db2|context (deadline|canceled)|vshard`)

// Whatever breaks, callers are told by a code, and nothing of what is behind the replica.
func TestNothingLeaksWhateverBreaks(t *testing.T) {
	t.Parallel()
	for title, breaks := range breakages {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			d := dependencies{dsns: []string{shared.Database(t), shared.Database(t)}, redis: redistest.New(t)}
			requireNoLeaks(t, d, breaks)
		})
	}
	for title, breaks := range serverBreakages {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			server := pgtest.NewServer(t, nil, "one", "two")
			d := dependencies{[]string{server.DSN("one"), server.DSN("two")}, server, redistest.New(t)}
			requireNoLeaks(t, d, breaks)
		})
	}
}

// requireNoLeaks breaks what a replica depends on, and makes every call.
func requireNoLeaks(t *testing.T, d dependencies, breaks func(*testing.T, dependencies)) {
	t.Helper()
	logs := &lockedLog{}
	service := d.replica(t, logs)
	requireEveryFieldIsCalled(t, service)
	reservation := service.hold("hopper")
	breaks(t, d)
	for field, document := range everything {
		document = strings.NewReplacer("TOKEN", reservation, "REQUEST", "of-"+field).Replace(document)
		status, text := queryAs(t, service.r, service.token, document)
		require.Equal(t, 200, status, "%s: %s", field, text)
		require.False(t, leaks.MatchString(text), "%s: %s", field, text)
		requireCodes(t, logs, field, text)
	}
}

// replica starts one with all layers, and gives a back end's way to it.
func (d dependencies) replica(t *testing.T, logs *lockedLog) caller {
	t.Helper()
	_, service := callersOn(t, d.dsns, func(o *app.Options) {
		o.Filter = app.Filter{On: true, Staleness: 5 * time.Second}
		o.Layers = app.Layers{CacheEntries: 100, CacheTTL: time.Second, Redis: d.redis.URL(), RedisTTL: time.Hour, HotName: 20, HotShard: 100}
		o.Introspection = true
		o.Logger = slog.New(slog.NewTextHandler(logs, nil))
	})
	return service
}

// hold reserves a name for the breakage to come, and gives the reservation's token.
func (c caller) hold(name string) string {
	c.t.Helper()
	data := c.ask(`mutation { reserveUsername(input: {name: "` + name + `", requestId: "before-it"}) { ... on ReserveUsernamePayload { token } } }`)
	return data["reserveUsername"].(map[string]any)["token"].(string)
}

// requireEveryFieldIsCalled compares the calls with the schema.
func requireEveryFieldIsCalled(t *testing.T, c caller) {
	t.Helper()
	schema := c.ask(`{ __schema { queryType { fields { name } } mutationType { fields { name } } } }`)["__schema"].(map[string]any)
	var fields []string
	for _, root := range schema {
		for _, f := range root.(map[string]any)["fields"].([]any) {
			fields = append(fields, f.(map[string]any)["name"].(string))
		}
	}
	called := make([]string, 0, len(everything))
	for field := range everything {
		called = append(called, field)
	}
	require.ElementsMatch(t, fields, called, "fields without a call here")
}

// requireCodes looks at the errors of an answer: each has a code, and what is behind one that
// tells nothing is in the log.
func requireCodes(t *testing.T, logs *lockedLog, field, text string) {
	t.Helper()
	var answer struct {
		Errors []struct{ Extensions map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &answer))
	for _, e := range answer.Errors {
		require.Contains(t, codes, e.Extensions["code"], "%s: %s", field, text)
		if id, ok := e.Extensions["requestId"].(string); e.Extensions["code"] == "INTERNAL" {
			require.True(t, ok && strings.Contains(logs.String(), id), "%s: %s", field, text)
		}
	}
}

// lockedLog is a log that is read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
