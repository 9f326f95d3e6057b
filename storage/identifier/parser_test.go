package identifier_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

const testSecret = "0123456789abcdef0123456789abcdef"

func newParser(t testing.TB) *identifier.Parser {
	t.Helper()
	p, err := identifier.NewParser([]byte(testSecret))
	require.NoError(t, err)
	return p
}

// broken is a violation without its message.
type broken struct {
	rule     identifier.Rule
	position int
}

// brokenRules parses a value that must be refused.
func brokenRules(t testing.TB, kind identifier.Kind, raw string) []broken {
	t.Helper()
	id, err := newParser(t).Parse(kind, raw)
	var form *identifier.FormError
	require.ErrorAs(t, err, &form, "%q", raw)
	require.Zero(t, id)
	var rules []broken
	for _, v := range form.Violations {
		require.NotEmpty(t, v.Message)
		rules = append(rules, broken{v.Rule, v.Position})
	}
	return rules
}

// The hashes are those of another implementation of HMAC. A key that changes
// loses its owner, so no line of this table is ever edited.
func TestPrivateKeysArePinned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind identifier.Kind
		raw  string
		key  string
	}{
		{identifier.Email, "jane.doe@example.com", "dc2d11eb79142b7ebc748f982846636c3fc511a1f297f3ce99c0c185fdcf2172"},
		{identifier.Email, "jane.doe@EXAMPLE.Com", "dc2d11eb79142b7ebc748f982846636c3fc511a1f297f3ce99c0c185fdcf2172"},
		{identifier.Email, "Jane.Doe@example.com", "391b0544c28197dc955055c74f4eb14e6a77c55aa96e7966def960992ba995d3"},
		{identifier.Email, "jane@bücher.example", "82826face60cd153d7d3bafa0bf6d2faee2b6c0146c2e1641ba0f69e088aa6ea"},
		{identifier.Email, "jane@BÜCHER.Example", "82826face60cd153d7d3bafa0bf6d2faee2b6c0146c2e1641ba0f69e088aa6ea"},
		{identifier.Email, "jane@xn--bcher-kva.example", "82826face60cd153d7d3bafa0bf6d2faee2b6c0146c2e1641ba0f69e088aa6ea"},
		{identifier.Email, "jane@XN--BCHER-KVA.example", "82826face60cd153d7d3bafa0bf6d2faee2b6c0146c2e1641ba0f69e088aa6ea"},
		{identifier.Email, `"a b"@example.com`, "05ad35ad35ed092aa4790e48c28911617da9e7b04b50a66a96e2f1e9bc18b8ec"},
		{identifier.Email, "用户@example.com", "54566cc97caa0af7d0b8f1a8cd627dbc43a75b188265361cfad2e76ff1e6311d"},
		{identifier.Phone, "+14155552671", "fd029c463d990f29d6405ee1f7e4b5f07315464bc1bb0c77310a34ec3fd24b2e"},
		{identifier.Phone, "+1 (415) 555-2671", "fd029c463d990f29d6405ee1f7e4b5f07315464bc1bb0c77310a34ec3fd24b2e"},
		{identifier.Phone, "+1.415.555/2671", "fd029c463d990f29d6405ee1f7e4b5f07315464bc1bb0c77310a34ec3fd24b2e"},
		{identifier.Phone, "+44 20 7946 0958", "17aeee1ffc8a08f079642a91c76474d4c85e2d3261ca72cdfd201b2de6dfbda9"},
		{identifier.Phone, "+39 02 3661 8300", "a3299a248d877662d9f28166617876458354e60b8097e3de46d3a2e89021109d"},
		{identifier.License, "A1B2C3", "1d0b773bead45c46c86071f3c84d5be716647cef70698052eba6ae5d3a280d69"},
		{identifier.License, "a1b2c3", "1d0b773bead45c46c86071f3c84d5be716647cef70698052eba6ae5d3a280d69"},
		{identifier.License, "7", "49e8bc966f55837d3325b388caf0b42dfd76b0cd2a14744147364f49fe279e4c"},
	} {
		id, err := newParser(t).Parse(c.kind, c.raw)
		require.NoError(t, err, c.raw)
		require.Equal(t, identifier.Stored(c.kind, c.key, "", ""), id, c.raw)
	}
}

func TestKeysDependOnSecretAndKind(t *testing.T) {
	t.Parallel()
	other, err := identifier.NewParser([]byte("another secret of this registry"))
	require.NoError(t, err)
	mine, err := newParser(t).Parse(identifier.License, "A1B2C3")
	require.NoError(t, err)
	theirs, err := other.Parse(identifier.License, "A1B2C3")
	require.NoError(t, err)
	require.NotEqual(t, mine.Key(), theirs.Key())
	require.NotEqual(t, newParser(t).Fingerprint(1024), other.Fingerprint(1024))
	require.NotEqual(t, other.Fingerprint(512), other.Fingerprint(1024))
}

func TestFingerprintIsPinned(t *testing.T) {
	t.Parallel()
	require.Equal(t, "d30090ab143acbeac142046a1df7dff3", hex.EncodeToString(newParser(t).Fingerprint(1024)))
}

func TestNewParserRefusesShortSecret(t *testing.T) {
	t.Parallel()
	_, err := identifier.NewParser([]byte(testSecret[:15]))
	require.ErrorContains(t, err, "has 15 bytes, at least 16")
	_, err = identifier.NewParser([]byte(testSecret[:16]))
	require.NoError(t, err)
}

func TestParserKeepsItsOwnSecret(t *testing.T) {
	t.Parallel()
	secret := []byte(testSecret)
	p, err := identifier.NewParser(secret)
	require.NoError(t, err)
	clear(secret)
	require.Equal(t, newParser(t).Fingerprint(1024), p.Fingerprint(1024))
}

func TestParseRefusesUnknownKind(t *testing.T) {
	t.Parallel()
	_, err := newParser(t).Parse(5, "alice")
	require.ErrorContains(t, err, "unknown kind of identifier 5")
	var form *identifier.FormError
	require.False(t, errors.As(err, &form))
}

func TestKinds(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range identifier.Kinds() {
		require.True(t, k.Valid())
		require.Equal(t, k != identifier.Username, k.Private())
		names = append(names, k.String())
	}
	require.Equal(t, []string{"USERNAME", "EMAIL", "PHONE", "LICENSE"}, names)
	for _, k := range []identifier.Kind{-1, 0, 5} {
		require.False(t, k.Valid())
		require.True(t, k.Private())
	}
	require.Equal(t, "Kind(5)", identifier.Kind(5).String())
}
