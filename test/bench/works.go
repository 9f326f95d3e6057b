package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// reservationTTL is how long reservations last, as with a gateway by default.
const reservationTTL = 15 * time.Minute

// losers is how many callers try to have one taken name.
const losers = 1000

func reserve128(r *registry) work { return r.reserve(128) }
func reserve512(r *registry) work { return r.reserve(512) }

// reserve has callers reserve fresh names, each under a new request.
func (r *registry) reserve(callers int) work {
	return work{fmt.Sprintf("reserve through storage, %d callers", callers), r.prepare, r.driven(callers, r.reserveFresh)}
}

// lose has callers reserve one name that is taken for ever.
func lose(r *registry) work {
	return work{fmt.Sprintf("lose one taken name through storage, %s callers", grouped(losers)), r.prepare, r.driven(losers, r.loseTaken)}
}

// check asks a gateway whether names can be had.
func check(r *registry) work {
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		return traffic{address: r.address, connections: connections, next: func() source { return nextCheck(r.names) }}.run(ctx, length)
	}
	return work{fmt.Sprintf("`usernameAvailable` over HTTP, %d connections", connections), r.prepare, run}
}

// reserveHTTP asks a gateway for fresh names.
func reserveHTTP(r *registry) work {
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		return traffic{address: r.address, connections: connections, next: r.nextReserve}.run(ctx, length)
	}
	return work{fmt.Sprintf("`reserveUsername` over HTTP, %d connections", connections), r.prepare, run}
}

// nextReserve is the source of reserves of fresh names.
func (r *registry) nextReserve() source {
	return func(body, wanted []byte) ([]byte, []byte) { return appendReserve(body, wanted, r.used.Add(1)) }
}

// driven is the run of a work on the store.
func (r *registry) driven(callers int, call func(context.Context) error) func(context.Context, time.Duration) (sample, error) {
	return func(ctx context.Context, length time.Duration) (sample, error) {
		return drive(ctx, callers, length, func(int) error { return call(ctx) })
	}
}

func (r *registry) reserveFresh(ctx context.Context) error {
	n := r.used.Add(1)
	_, err := r.reserveOne(ctx, fresh, n, n)
	return err
}

func (r *registry) loseTaken(ctx context.Context) error {
	got, err := r.reserveOne(ctx, imported, 0, r.used.Add(1))
	if held, ok := errors.AsType[*storage.HeldError](err); ok && held.Holding.State == storage.Active {
		return nil
	}
	if err == nil {
		return fmt.Errorf("a taken name was granted again: %v", got.Holding)
	}
	return err
}

// reserveOne asks for one name under request n, as a registry would.
func (r *registry) reserveOne(ctx context.Context, s space, index, n uint64) (storage.Outcome, error) {
	id, err := r.identifier(s, index)
	if err != nil {
		return storage.Outcome{}, err
	}
	return r.store.Reserve(ctx, storage.ReserveRequest{
		Request:    storage.NewRequestKey(storage.Anonymous, requestID(n)),
		Arguments:  storage.HashArguments("reserveUsername", id.Display()),
		Candidates: []identifier.Identifier{id},
		TTL:        reservationTTL,
		KeyID:      storage.KeyID{1},
	})
}
