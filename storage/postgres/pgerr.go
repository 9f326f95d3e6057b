package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"namegate/storage"
)

var (
	errClosed = errors.New("store is closed")
	// errNotOwned says that no database owns the vshard at present.
	errNotOwned = errors.New("no single database owns the virtual shard")
)

// retryAfter is what a caller is told to wait where nothing better is known.
const retryAfter = time.Second

// SQLSTATE codes, PostgreSQL appendix A.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
)

// sqlState is the SQLSTATE of an error that the server sent, else "".
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// rolledBack says that the server undid the transaction and that the same one
// may succeed now: also when it was kept out by whoever changes a vshard, who
// holds the fence only for a moment.
func rolledBack(err error) bool {
	switch sqlState(err) {
	case serializationFailure, deadlockDetected:
		return true
	case lockNotAvailable:
		return atFence(err)
	}
	return false
}

func atFence(err error) bool {
	var fence *fenceError
	return errors.As(err, &fence)
}

// isolates says that one row of a batch may have failed it: by its data
// (classes 21, 22 and 23) or by a lock that somebody holds on it.
func isolates(err error) bool {
	switch class(err) {
	case "21", "22", "23":
		return true
	}
	return sqlState(err) == lockNotAvailable && !atFence(err)
}

// class is the first two characters of the SQLSTATE.
func class(err error) string {
	if code := sqlState(err); len(code) == 5 {
		return code[:2]
	}
	return ""
}

// disconnected says that the connection broke, or the server ended it, so that
// it is not known whether the transaction was committed.
func disconnected(err error) bool {
	switch class(err) {
	case "08", "57":
		return true
	case "":
		return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
	}
	return false
}

// domainError is the contract's error for one of the driver's. What is neither
// an outage nor a lack of resources is a bug, and stays as it is.
func domainError(err error) error {
	switch class(err) {
	case "", "08", "25", "40", "53", "55", "57", "58":
		return &storage.UnavailableError{RetryAfter: retryAfter, Cause: err}
	}
	return err
}
