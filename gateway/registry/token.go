package registry

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"namegate/storage"
)

// A reservation token names the record of a request and proves that we made it:
//
//	version     1 byte   tokenVersion
//	key id      4 bytes  which key signed it
//	vshard      2 bytes  big-endian, where the record stands
//	request id 16 bytes
//	MAC        16 bytes  HMAC-SHA-256(key, tokenDomain | all before), truncated
//
// in base64url without padding. It holds nothing random and no time, so that
// the same request under the same key has the same token for ever.
const (
	tokenVersion = 1
	tokenBody    = 1 + 4 + 2 + 16
	tokenMAC     = 16
	tokenDomain  = "namegate reservation token\x00"
)

// MinKey is the shortest token key, in bytes.
const MinKey = 32

// tokenEncoding is strict, so that a token has one spelling only.
var tokenEncoding = base64.RawURLEncoding.Strict()

// Keyring signs and verifies reservation tokens. It is immutable.
type Keyring struct {
	keys []tokenKey // newest first
}

type tokenKey struct {
	id     storage.KeyID // first bytes of SHA-256 of the secret
	secret []byte
}

// NewKeyring makes a Keyring of secrets, newest first. New requests are signed
// with the newest. A former one must stay for as long as the records of its
// requests, else their tokens are refused. The secrets are copied.
func NewKeyring(secrets ...[]byte) (*Keyring, error) {
	if len(secrets) == 0 {
		return nil, errors.New("no token key")
	}
	ring := &Keyring{}
	for i, secret := range secrets {
		if len(secret) < MinKey {
			return nil, fmt.Errorf("token key %d has %d bytes, fewer than %d", i+1, len(secret), MinKey)
		}
		sum := sha256.Sum256(secret)
		key := tokenKey{id: storage.KeyID(sum[:4]), secret: bytes.Clone(secret)}
		if _, twice := ring.find(key.id); twice {
			return nil, fmt.Errorf("token key %d has the id of one before it", i+1)
		}
		ring.keys = append(ring.keys, key)
	}
	return ring, nil
}

// newest is the id of the key for new requests.
func (k *Keyring) newest() storage.KeyID { return k.keys[0].id }

func (k *Keyring) find(id storage.KeyID) (tokenKey, bool) {
	for _, key := range k.keys {
		if key.id == id {
			return key, true
		}
	}
	return tokenKey{}, false
}

// sign makes the token of a request with the key that its record names, which
// need not be the newest: a resend gets the token it got before.
func (k *Keyring) sign(id storage.KeyID, request storage.RequestKey) (string, error) {
	key, ok := k.find(id)
	if !ok {
		return "", fmt.Errorf("key %x is not among the token keys", id)
	}
	b := make([]byte, 0, tokenBody+tokenMAC)
	b = append(b, tokenVersion)
	b = append(b, id[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(request.Vshard))
	b = append(b, request.ID[:]...)
	b = append(b, key.mac(b)...)
	return tokenEncoding.EncodeToString(b), nil
}

// verify gives the request that a token names; false for one that no key of the
// ring signed.
func (k *Keyring) verify(token string) (storage.RequestKey, bool) {
	if len(token) != tokenEncoding.EncodedLen(tokenBody+tokenMAC) {
		return storage.RequestKey{}, false
	}
	b, err := tokenEncoding.DecodeString(token)
	if err != nil || len(b) != tokenBody+tokenMAC || b[0] != tokenVersion {
		return storage.RequestKey{}, false
	}
	body, mac := b[:tokenBody], b[tokenBody:]
	key, ok := k.find(storage.KeyID(body[1:5]))
	if !ok || !hmac.Equal(mac, key.mac(body)) {
		return storage.RequestKey{}, false
	}
	return storage.RequestKey{
		Vshard: storage.Vshard(binary.BigEndian.Uint16(body[5:7])),
		ID:     storage.RequestID(body[7:]),
	}, true
}

func (k tokenKey) mac(body []byte) []byte {
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(tokenDomain))
	h.Write(body)
	return h.Sum(nil)[:tokenMAC]
}
