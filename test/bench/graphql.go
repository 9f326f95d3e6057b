package main

import (
	"fmt"
	"math/rand/v2"
)

// What a sign-up form sends for each name typed, and to hold one, up to the variables.
const (
	checkOperation = `{"query":"query Check($name: String!) { usernameAvailable(name: $name) ` +
		`{ requested canonical available reason violations { rule message } decidedBy asOf } }",` +
		`"operationName":"Check","variables":`
	reserveOperation = `{"query":"mutation Reserve($input: ReserveUsernameInput!) { reserveUsername(input: $input) { __typename ` +
		`... on ReserveUsernamePayload { reservation { display canonical state expiresAt } token } ` +
		`... on MutationError { message } ... on UnavailableError { reason } } }",` +
		`"operationName":"Reserve","variables":`
)

// appendCheck appends a check of a name and what the answer must hold.
func appendCheck(body, wanted []byte, s space, index uint64, available bool) ([]byte, []byte) {
	body = append(body, checkOperation+`{"name":"`...)
	body = appendName(body, s, index)
	body = append(body, `"}}`...)
	wanted = append(wanted, `"canonical":"`...)
	wanted = appendName(wanted, s, index)
	return body, fmt.Appendf(wanted, `","available":%t`, available)
}

// appendReserve appends a reserve of a fresh name, and what the answer must hold.
func appendReserve(body, wanted []byte, index uint64) ([]byte, []byte) {
	return appendReserveOf(body, wanted, fresh, index, index)
}

// appendReserveOf appends a reserve of a name under request n, and what the answer must hold.
func appendReserveOf(body, wanted []byte, s space, index, n uint64) ([]byte, []byte) {
	body = append(body, reserveOperation+`{"input":{"name":"`...)
	body = appendName(body, s, index)
	body = append(body, `","requestId":"`+requestID(n)+`"}}}`...)
	wanted = append(wanted, `"canonical":"`...)
	wanted = appendName(wanted, s, index)
	return body, append(wanted, `","state":"RESERVED"`...)
}

// nextCheck makes the source of checks, one half of them for names among the
// first so many imported ones, the other for free ones.
func nextCheck(names uint64) source {
	return func(body, wanted []byte) ([]byte, []byte) {
		if random := rand.Uint64(); random&1 == 0 {
			return appendCheck(body, wanted, imported, random>>1%names, false)
		}
		return appendCheck(body, wanted, free, rand.Uint64N(maxIndex), true)
	}
}

// requestID is a client's id of its request number n. Where the record of the
// request stands depends on a hash of it, so ids in a row are as good as random ones.
func requestID(n uint64) string { return fmt.Sprintf("%032x", n) }
