package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"namegate/storage"
)

// States of a vshard in a database's table.
const (
	owned    = "OWNED"
	incoming = "INCOMING"
	frozen   = "FROZEN"
	moved    = "MOVED"
)

// readTimeout is how long one reading of a database's vshards may take.
const readTimeout = 2 * time.Second

// routes is the route map: which database owns each vshard.
type routes struct {
	databases []*database
	table     atomic.Pointer[table]
	reading   sync.Mutex // held by the one who reads the databases
}

// table is one reading of all databases.
type table struct {
	owner [storage.Vshards]*database // nil while unknown
	// complete is false when a database did not answer, or a vshard has no owner.
	complete bool
	readAt   time.Time
}

// claim is one row of a vshards table.
type claim struct {
	Vshard int16
	State  string
	Epoch  int64
	MoveID [16]byte
	Tag    [16]byte // of the whole table
}

// of is the database that owns a vshard.
func (r *routes) of(v storage.Vshard) (*database, error) {
	if d := r.table.Load().owner[v]; d != nil {
		return d, nil
	}
	return nil, &storage.UnavailableError{RetryAfter: retryAfter, Cause: errNotOwned}
}

// refresh reads the map anew, unless somebody has done so since the caller found
// out, at the given time, that the map is old.
func (r *routes) refresh(ctx context.Context, foundOld time.Time) error {
	r.reading.Lock()
	defer r.reading.Unlock()
	if t := r.table.Load(); t != nil && t.readAt.After(foundOld) {
		return nil
	}
	t, err := r.read(ctx)
	if t != nil {
		r.table.Store(t)
	}
	return err
}

// read asks every database at once. The table it gives is usable even with an
// error, which joins what each database said; a vshard that two own goes to neither.
func (r *routes) read(ctx context.Context) (*table, error) {
	t := &table{readAt: time.Now()}
	claims, errs := r.readClaims(ctx)
	merged, conflicts := merge(claims)
	for v, i := range merged {
		if i >= 0 {
			t.owner[v] = r.databases[i]
		}
	}
	if err := errors.Join(errs...); err != nil {
		return t, err
	}
	if err := errors.Join(conflicts, missing(claims, merged)); err != nil {
		return t, err
	}
	t.complete = true
	for _, d := range t.owner {
		t.complete = t.complete && d != nil
	}
	return t, nil
}

func (r *routes) readClaims(ctx context.Context) ([][]claim, []error) {
	claims := make([][]claim, len(r.databases))
	errs := make([]error, len(r.databases))
	ctx, cancel := context.WithTimeout(ctx, readTimeout+connectTimeout)
	defer cancel()
	var reads sync.WaitGroup
	for i, d := range r.databases {
		reads.Go(func() {
			if claims[i], errs[i] = d.readClaims(ctx); errs[i] != nil {
				errs[i] = fmt.Errorf("read the vshards of database %s: %w", d.name, errs[i])
			}
		})
	}
	reads.Wait()
	return claims, errs
}

// merge says which database (by index, or -1) has each vshard: the one that owns
// it or, while it is frozen, had it. Two that say OWNED are an error.
func merge(claims [][]claim) (owner [storage.Vshards]int, conflicts error) {
	var state [storage.Vshards]string
	for v := range owner {
		owner[v] = -1
	}
	var errs []error
	for i, rows := range claims {
		for _, c := range rows {
			switch {
			case c.State == owned && state[c.Vshard] == owned:
				errs = append(errs, &MismatchError{fmt.Sprintf("vshard %d is owned by two databases", c.Vshard)})
				owner[c.Vshard] = -1
			case c.State == owned, c.State == frozen && state[c.Vshard] == "":
				owner[c.Vshard], state[c.Vshard] = i, c.State
			}
		}
	}
	return owner, errors.Join(errs...)
}

// missing is an error when a vshard has no owner, not even two, and is not on its way from
// one database to another either. It may be asked only when all databases were read.
func missing(claims [][]claim, owner [storage.Vshards]int) error {
	type move struct {
		vshard int16
		id     [16]byte
	}
	leaving, there := map[move]bool{}, [storage.Vshards]bool{}
	for _, rows := range claims {
		for _, c := range rows {
			if c.State == moved {
				leaving[move{c.Vshard, c.MoveID}] = true
			}
		}
	}
	for _, rows := range claims {
		for _, c := range rows {
			switch {
			case c.State == owned, c.State == frozen, c.State == incoming && leaving[move{c.Vshard, c.MoveID}]:
				there[c.Vshard] = true
			}
		}
	}
	for v, i := range owner {
		if i < 0 && !there[v] {
			return &MismatchError{fmt.Sprintf("vshard %d is owned by no database: name every database of the registry", v)}
		}
	}
	return nil
}
