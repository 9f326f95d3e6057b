package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"namegate/storage"
)

// How many rows a change of an account writes, counted by pg_stat_user_tables. A
// confirm on one database: the record of the request made and decided, the intent and
// then the account beside the name, the account made and changed, its slot, feed and
// audit. A rename protects the former name, too. Over two databases what is left to
// do is cleared in a statement of its own, and a name new to its database is told twice.
const (
	confirmRows      = 9
	confirmRowsOfTwo = 10
	renameRows       = 11
	renameRowsOfTwo  = 13
)

// changers is how many callers change accounts at once.
const changers = 32

// reservedAhead is how many names are reserved before a sample of confirms.
const reservedAhead = 100_000

// confirm has callers confirm reservations, each for an account of its own.
func confirm(r *registry) work {
	var first, done uint64
	var counting sync.Mutex
	prepare := func(ctx context.Context) (err error) {
		if err := r.prepare(ctx); err != nil {
			return err
		}
		done = 0
		first, err = r.reserveAhead(ctx, reservedAhead)
		return err
	}
	next := func() (uint64, error) {
		counting.Lock()
		defer counting.Unlock()
		if done++; done > reservedAhead {
			return 0, fmt.Errorf("all %s reservations are confirmed", grouped(reservedAhead))
		}
		return first + done - 1, nil
	}
	return work{fmt.Sprintf("confirm through storage, %d callers", changers), prepare, r.driven(changers, func(ctx context.Context) error {
		n, err := next()
		if err != nil {
			return err
		}
		return r.confirm(ctx, account(n), n)
	})}
}

// reserveAhead reserves names under requests of the same numbers, from the first on.
func (r *registry) reserveAhead(ctx context.Context, names uint64) (first uint64, err error) {
	const callers = 128
	last := r.used.Add(names)
	first = last - names + 1
	var reserving sync.WaitGroup
	errs := make(chan error, callers)
	for caller := range uint64(callers) {
		reserving.Go(func() {
			for n := first + caller; n <= last; n += callers {
				if _, err := r.reserveOne(ctx, fresh, n, n); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	reserving.Wait()
	close(errs)
	return first, <-errs
}

func account(n uint64) string { return "user:" + strconv.FormatUint(n, 10) }

// changeOf is a change of an account under request n.
func changeOf(owner string, n uint64) storage.Change {
	return storage.Change{Request: storage.NewUserRequestKey(owner, requestID(n)), Owner: owner, Actor: owner}
}

// confirm gives an account what request n reserved.
func (r *registry) confirm(ctx context.Context, owner string, n uint64) error {
	_, err := r.store.Confirm(ctx, changeOf(owner, n), storage.NewRequestKey(storage.Anonymous, requestID(n)))
	return err
}

// rename has callers rename their accounts, each its own, from one fresh name to the next.
func rename(r *registry) work {
	prepare := func(ctx context.Context) error {
		if err := r.prepare(ctx); err != nil {
			return err
		}
		first, err := r.reserveAhead(ctx, changers)
		for i := uint64(0); i < changers && err == nil; i++ {
			err = r.confirm(ctx, account(i), first+i)
		}
		return err
	}
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		return drive(ctx, changers, length, func(caller int) error {
			n := r.used.Add(1)
			to, err := r.identifier(fresh, n)
			if err != nil {
				return err
			}
			_, err = r.store.Rename(ctx, changeOf(account(uint64(caller)), n), to)
			return err
		})
	}
	return work{fmt.Sprintf("rename through storage, %d callers", changers), prepare, run}
}
