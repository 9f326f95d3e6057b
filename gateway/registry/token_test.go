package registry

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

var (
	oneSecret   = bytes.Repeat([]byte("one."), 8)
	otherSecret = bytes.Repeat([]byte("two."), 8)
	someRequest = storage.NewRequestKey("", "4f0c2d6e-6a0f-4b58-9d0e-2f6f6f0f6a11")
)

func ring(t testing.TB, secrets ...[]byte) *Keyring {
	t.Helper()
	keys, err := NewKeyring(secrets...)
	require.NoError(t, err)
	return keys
}

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	old, both := ring(t, oneSecret), ring(t, otherSecret, oneSecret)
	token, err := old.sign(old.newest(), someRequest)
	require.NoError(t, err)
	got, ok := both.verify(token)
	require.True(t, ok)
	require.Equal(t, someRequest, got)

	again, err := both.sign(old.newest(), someRequest)
	require.NoError(t, err)
	require.Equal(t, token, again)
	require.NotEqual(t, old.newest(), both.newest())
}

// The form of a token is a promise: clients keep them over an upgrade.
func TestTokenForm(t *testing.T) {
	t.Parallel()
	keys := ring(t, oneSecret)
	token, err := keys.sign(keys.newest(), storage.RequestKey{Vshard: 1023, ID: storage.RequestID{1, 2, 3}})
	require.NoError(t, err)
	require.Equal(t, "ARKqNcsD_wECAwAAAAAAAAAAAAAAAADUFb1Uqs1O4soulkXZ8-Ty", token)
}

func TestEveryByteOfATokenCounts(t *testing.T) {
	t.Parallel()
	keys := ring(t, oneSecret)
	token, err := keys.sign(keys.newest(), someRequest)
	require.NoError(t, err)
	raw, err := tokenEncoding.DecodeString(token)
	require.NoError(t, err)
	for i := range raw {
		forged := bytes.Clone(raw)
		forged[i] ^= 1
		_, ok := keys.verify(tokenEncoding.EncodeToString(forged))
		require.False(t, ok, "byte %d", i)
	}
	_, ok := keys.verify(token[:20] + "\n" + token[20:])
	require.False(t, ok, "a token has one spelling")
}

// A replica of a later release may sign another layout with the same key.
func TestATokenOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	keys := ring(t, oneSecret)
	token, err := keys.sign(keys.newest(), someRequest)
	require.NoError(t, err)
	raw, err := tokenEncoding.DecodeString(token)
	require.NoError(t, err)
	raw[0] = tokenVersion + 1
	later := append(raw[:tokenBody:tokenBody], keys.keys[0].mac(raw[:tokenBody])...)
	_, ok := keys.verify(tokenEncoding.EncodeToString(later))
	require.False(t, ok)
}

func TestKeyringRefusesUnusableKeys(t *testing.T) {
	t.Parallel()
	_, err := NewKeyring()
	require.ErrorContains(t, err, "no token key")
	_, err = NewKeyring(oneSecret, oneSecret[1:])
	require.ErrorContains(t, err, "token key 2 has 31 bytes")
	_, err = NewKeyring(oneSecret, oneSecret)
	require.ErrorContains(t, err, "token key 2")
}

func FuzzVerify(f *testing.F) {
	keys := ring(f, oneSecret, otherSecret)
	token, err := keys.sign(keys.newest(), someRequest)
	require.NoError(f, err)
	f.Add(token)
	f.Add("")
	f.Add(token[:len(token)-1] + "=")
	f.Fuzz(func(t *testing.T, token string) {
		request, ok := keys.verify(token)
		if !ok {
			return
		}
		for _, key := range keys.keys {
			if again, err := keys.sign(key.id, request); err == nil && again == token {
				return
			}
		}
		t.Fatalf("accepted a token that no key makes: %q", token)
	})
}
