package transfer

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// keyLabel sets these keys apart from all others that are derived from the same secrets.
// The number goes up when the derivation changes.
const keyLabel = "bloomnet transfer 1: Ed25519"

// minSecret is the length of the shortest secret, in bytes: that of an AES-128 key.
const minSecret = 16

// Identity is the key that a replica shows, and those that it trusts.
type Identity struct {
	certificate tls.Certificate
	trusted     []ed25519.PublicKey
}

// NewIdentity derives keys from secrets, each of at least 16 bytes. The first is shown,
// all are trusted.
func NewIdentity(secrets ...[]byte) (*Identity, error) {
	if len(secrets) == 0 {
		return nil, errors.New("no secret to derive a key from")
	}
	i := &Identity{}
	for n, secret := range secrets {
		key, err := deriveKey(secret)
		if err != nil {
			return nil, fmt.Errorf("derive key %d: %w", n, err)
		}
		i.trusted = append(i.trusted, key.Public().(ed25519.PublicKey))
		if n > 0 {
			continue
		}
		if i.certificate, err = certify(key); err != nil {
			return nil, err
		}
	}
	return i, nil
}

func deriveKey(secret []byte) (ed25519.PrivateKey, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("secret is shorter than %d bytes", minSecret)
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, keyLabel, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// certify wraps a key in a certificate, as TLS wants one. Nothing but its key counts, so
// it begins at the epoch and has no end (RFC 5280, 4.1.2.5).
func certify(key ed25519.PrivateKey) (tls.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0).UTC(),
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// Config is for both ends of a connection. There is no resumption, so that each
// connection proves both keys anew.
func (i *Identity) Config() *tls.Config {
	return &tls.Config{
		Certificates:                []tls.Certificate{i.certificate},
		MinVersion:                  tls.VersionTLS13,
		ClientAuth:                  tls.RequireAnyClientCert,
		InsecureSkipVerify:          true, // VerifyConnection decides, by the key alone
		VerifyConnection:            i.verify,
		SessionTicketsDisabled:      true,
		DynamicRecordSizingDisabled: true, // whole blobs follow, so that short first records only cost
	}
}

func (i *Identity) verify(s tls.ConnectionState) error {
	for _, key := range i.trusted {
		if len(s.PeerCertificates) > 0 && key.Equal(s.PeerCertificates[0].PublicKey) {
			return nil
		}
	}
	return ErrUntrusted
}
