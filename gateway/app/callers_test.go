package app

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
)

var tokens = JWT{Issuer: "namegate", Audience: "namegate"}

// callersOf opens the callers of options, and gives the log too.
func callersOf(opts Options) (*Replica, string, error) {
	var log bytes.Buffer
	opts.JWT = tokens
	r := &Replica{opts: opts, log: slog.New(slog.NewTextHandler(&log, nil))}
	err := r.openCallers()
	return r, log.String(), err
}

func (r *Replica) caller(token string) (registry.Caller, error) {
	return r.callers.Authenticate(http.Header{"Authorization": {"Bearer " + token}})
}

// publicKey is an entry of a key file.
func publicKey(kid string) string {
	point := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	return fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","kid":%q,"alg":"EdDSA","x":%q}`, kid, base64.RawURLEncoding.EncodeToString(point))
}

func TestADemoTokenIsGoodWhereItsKeyIs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	grant := Grant{Subject: "user:42", Scope: "namegate:service", TTL: time.Hour}
	_, err := DemoToken(dir, tokens, grant)
	require.ErrorContains(t, err, dir+" has no demo key")
	require.NoDirExists(t, dir, "it makes none")

	r, log, err := callersOf(Options{Demo: true, Databases: Databases{DataDir: dir}})
	require.NoError(t, err)
	require.Empty(t, log)
	info, err := os.Stat(filepath.Join(dir, "demo-key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	token, err := DemoToken(dir, tokens, grant)
	require.NoError(t, err)
	again, _, err := callersOf(Options{Demo: true, Databases: Databases{DataDir: dir}, JWTKeyFile: writeFile(t, `{"keys":[`+publicKey("a")+`]}`)})
	require.NoError(t, err)
	for _, r := range []*Replica{r, again} {
		caller, err := r.caller(token)
		require.NoError(t, err, "the key stays, also beside those of a file")
		require.Equal(t, registry.Caller{Role: registry.Service, Subject: "user:42"}, caller)
	}

	elsewhere, _, err := callersOf(Options{Demo: true, Databases: Databases{DataDir: t.TempDir()}})
	require.NoError(t, err)
	_, err = elsewhere.caller(token)
	require.Error(t, err)
	without, _, err := callersOf(Options{Databases: Databases{DataDir: dir}})
	require.NoError(t, err)
	_, err = without.caller(token)
	require.Error(t, err, "a key that lies there counts with --demo alone")
}

func TestADemoKeyThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for text, wrong := range map[string]string{
		"hunter2\n": "fewer than 32 bytes",
		"":          "has 0 lines, not one",
		strings.Repeat("a", 32) + "\n" + strings.Repeat("b", 32): "has 2 lines, not one",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(demoKeyFile(dir), []byte(text), 0o600))
		_, err := DemoToken(dir, tokens, Grant{Subject: "a", TTL: time.Hour})
		require.ErrorContains(t, err, wrong)
		require.ErrorContains(t, err, demoKeyFile(dir))
		require.NotContains(t, err.Error(), "hunter2")
		_, _, err = callersOf(Options{Demo: true, Databases: Databases{DataDir: dir}})
		require.ErrorContains(t, err, wrong)
	}
}

func TestAStartSaysOnceThatNoTokenIsGood(t *testing.T) {
	t.Parallel()
	r, log, err := callersOf(Options{})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(log, "fields that need a role are refused"))
	_, err = r.caller("x.y.z")
	require.Error(t, err)

	_, log, err = callersOf(Options{JWTKeyFile: writeFile(t, `{"keys":[`+publicKey("a")+`]}`)})
	require.NoError(t, err)
	require.Empty(t, log)
}

func TestAKeyFileThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	broken := writeFile(t, `{"keys":[`+publicKey("a")+`,`+publicKey("")+`]}`)
	_, _, err := callersOf(Options{JWTKeyFile: broken})
	require.ErrorContains(t, err, "--jwt-key-file: "+broken+": parse JWK set: key 2: kid is missing")

	_, _, err = callersOf(Options{JWTKeyFile: filepath.Join(t.TempDir(), "none")})
	require.ErrorContains(t, err, "--jwt-key-file")
	require.ErrorIs(t, err, os.ErrNotExist)

	_, _, err = callersOf(Options{JWTKeyFile: writeFile(t, `{"keys":[`+publicKey("a")+`,`+publicKey("a")+`]}`)})
	require.ErrorContains(t, err, `--jwt-key-file: two keys have the kid "a"`)
}

func TestADemoListensOnThisMachineAlone(t *testing.T) {
	t.Parallel()
	here := listenLocally(t)
	defer here.Close()
	everywhere, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	defer everywhere.Close()

	require.NoError(t, (&Replica{http: everywhere, admin: everywhere}).checkDemo())
	demo := Options{Demo: true}
	require.NoError(t, (&Replica{opts: demo, http: here, admin: here}).checkDemo())
	require.ErrorContains(t, (&Replica{opts: demo, http: everywhere, admin: here}).checkDemo(), "--http [::]:")
	require.ErrorContains(t, (&Replica{opts: demo, http: here, admin: everywhere}).checkDemo(), "--admin [::]:")
}
