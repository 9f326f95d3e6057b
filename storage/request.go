package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"namegate/storage/identifier"
)

// RequestID is the name of a caller's request: the first 16 bytes of SHA-256
// over its scope and the id the client chose. Tables hold this and never the
// client's id, which is the only secret of an anonymous caller.
type RequestID [16]byte

// RequestKey says where the record of a request stands.
type RequestKey struct {
	Vshard Vshard
	ID     RequestID
}

// Anonymous is the scope of callers without an access token. They share it, so
// their request ids must be unguessable.
const Anonymous = ""

// NewRequestKey names the request that a caller of the given scope made under
// requestID. The scope of a caller is its role and subject.
func NewRequestKey(scope, requestID string) RequestKey {
	sum := hashParts(scope, requestID)
	id := RequestID(sum[:16])
	return RequestKey{Vshard: vshardOf(string(id[:])), ID: id}
}

// NewUserRequestKey names the request that a signed-in account made under
// requestID. Its record stands beside the account, where the account's changes
// are decided, whatever the request asks for.
func NewUserRequestKey(account, requestID string) RequestKey {
	key := NewRequestKey("USER:"+account, requestID)
	key.Vshard = VshardOfOwner(account)
	return key
}

// NewServiceRequestKey names the request of a back end. Back ends have different
// subjects, and cannot meet each other's requests.
func NewServiceRequestKey(subject, requestID string) RequestKey {
	return NewRequestKey("SERVICE:"+subject, requestID)
}

// ReserveRequest asks for the first of several identifiers that can be had.
type ReserveRequest struct {
	Request RequestKey
	// Arguments is the hash of all that the caller asked for (HashArguments), so
	// that a request id used twice for different things is refused.
	Arguments [32]byte
	// Candidates in order of preference. With none, only an earlier outcome of
	// the same request can answer.
	Candidates []identifier.Identifier
	// TTL is how long the reservation lasts, from the database's now.
	TTL time.Duration
	// KeyID names the key that makes the reservation's token. It stands in the
	// record, so that a resend gets the same token after newer keys came.
	KeyID KeyID
	// Actor is written to the audit: the caller's subject, "" when anonymous.
	Actor string
}

// KeyID names a key among those that make reservation tokens.
type KeyID [4]byte

// Outcome is what a reserve granted, as its record keeps it.
type Outcome struct {
	Holding Holding
	KeyID   KeyID
}

// Outcomes is what a reserve of several identifiers granted, as its record keeps it.
type Outcomes struct {
	Holdings []Holding
	KeyID    KeyID
}

// HashArguments is the hash of an operation with its arguments, each taken as
// the caller wrote it.
func HashArguments(operation string, arguments ...string) [32]byte {
	return hashParts(append([]string{operation}, arguments...)...)
}

// hashParts hashes strings with their lengths, so that no two lists collide.
func hashParts(parts ...string) [32]byte {
	var b []byte
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	return sha256.Sum256(b)
}
