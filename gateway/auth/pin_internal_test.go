package auth

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// The library refuses what does not fit a key's type. That a key serves its own
// algorithm alone holds without it.
func TestTheAlgorithmIsTheKeys(t *testing.T) {
	t.Parallel()
	opts := Options{Issuer: "issuer", Audience: "namegate", Clock: time.Now}
	secret := bytes.Repeat([]byte("s"), minSecretBytes)
	signer, err := NewDemo(secret, opts)
	require.NoError(t, err)
	token, err := signer.Token(Grant{Subject: "user:1", TTL: time.Hour})
	require.NoError(t, err)
	for algorithm, good := range map[jose.SignatureAlgorithm]bool{jose.HS256: true, jose.RS256: false, "": false} {
		v, err := NewVerifier([]Key{{id: demoKeyID, algorithm: algorithm, material: secret}}, opts)
		require.NoError(t, err)
		_, err = v.Authenticate(http.Header{"Authorization": {"Bearer " + token}})
		require.Equal(t, good, err == nil, algorithm)
	}
}
