package faults_test

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"
)

// Names that come and go, each time at another replica, are free in no answer while they
// are held.
func TestNamesAreReleasedAndReservedAgain(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 3, proxied, "--demo", "--protection", protection.String())
	replicas := replicasOf(peers)
	for _, p := range peers { // no hint hides what a replica fails to read
		p.datagrams.cut()
	}
	w := newWitness(t, g.staleness)
	w.watch(t, replicas...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rounds(5, 120))*time.Second)
	defer cancel()
	var turning sync.WaitGroup
	turns := make([]int, 4)
	for i := range turns {
		turning.Go(func() {
			for name := freshName(); ctx.Err() == nil && !t.Failed(); turns[i]++ {
				one, other := replicas[(i+turns[i])%3], replicas[(i+turns[i]+1)%3]
				if err := turn(t.Context(), w, name, one, other, turns[i]%3); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	turning.Wait()
	t.Logf("names were reserved so many times: %v", turns)
}

// protection is how long names are kept for their former owners here.
const protection = 1500 * time.Millisecond

// turn reserves a name at one replica and gives it up at another: at once, when the bound
// has passed, or as an account that it has become the name of.
func turn(ctx context.Context, w *witness, name string, one, other *replica, how int) error {
	token, err := reserveAgain(ctx, one, name)
	if err != nil {
		return err
	}
	w.held(name, time.Now())
	if how == 2 {
		return ownAndRelease(ctx, w, name, token, one, other)
	}
	for end := time.Now().Add(time.Duration(how) * w.bound * 5 / 4); time.Now().Before(end); {
		w.question(ctx, other, name)
	}
	w.released(name, time.Now())
	return other.cancel(ctx, token)
}

// reserveAgain reserves a name, if need be as soon as its protection is over.
func reserveAgain(ctx context.Context, r *replica, name string) (token string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for token == "" && err == nil {
		token, err = r.reserve(ctx, name, rand.Text())
	}
	return token, err
}

// ownAndRelease confirms a reservation at one replica and releases the name at another; it
// is then protected for a while.
func ownAndRelease(ctx context.Context, w *witness, name, token string, one, other *replica) error {
	account := "user:" + rand.Text()
	if err := one.confirm(ctx, account, token); err != nil {
		return err
	}
	until := time.Now().Add(protection)
	w.released(name, until)
	if err := other.release(ctx, account, name); err != nil {
		return err
	}
	for time.Now().Before(until) {
		w.question(ctx, one, name)
	}
	return nil
}
