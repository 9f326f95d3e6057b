package postgres_test

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/anishathalye/porcupine"

	"namegate/storage"
)

// A history is checked group by group: a few names and accounts that deal with one
// another only. Its model is the contract as one atomic registry would keep it.
const (
	groupNames    = 5
	groupAccounts = 3
)

// What clients do, as recorded. A cancel is two operations: one takes the right to
// confirm away, the other frees the name.
const (
	opReserve = "reserve"
	opConfirm = "confirm"
	opRename  = "rename"
	opRelease = "release"
	opAll     = "release all"
	opRevoke  = "cancel: revoke"
	opFree    = "cancel: free"
	opLapse   = "lapse" // the end of a reservation or protection, at the will of the test
	opBlock   = "block"
	opUnblock = "unblock"
	opLookup  = "lookup"
	opAccount = "account"
)

// operation is one call. Names, accounts and reservations are numbered in the group.
type operation struct {
	Kind        string
	Name        int
	Account     int
	Reservation int
}

// What calls came to.
const (
	isOK       = "ok"
	isHeld     = "held"
	isNotFound = "not found"
	isNotOwner = "not owner"
	isLimit    = "limit"
	isOpen     = "not blocked"
	isUnknown  = "unknown" // it may have happened, may yet happen, or never will
)

// reply is what a call came to, with what it said of a holding.
type reply struct {
	Is    string
	State storage.State // zero for a name that nobody has
	By    int           // account or, of a reservation, its number
	// Blocked says that a name is barred.
	Blocked bool
	// Marked says that the reply may be of something that the model does not have: a
	// holding that has ended, which only the intent of some saga keeps, and what
	// history.operations tells.
	Marked  bool
	Former  int   // name that a rename left, or none
	Names   []int // of an account
	Exact   bool  // nothing is under way: what was seen is all there is
	Changed bool  // by a block
}

const none = -1

// nameState is a name in the model.
type nameState struct {
	State   storage.State
	By      int // account or reservation
	Lapsed  bool
	Blocked bool
}

func (n nameState) vacant() bool                        { return n.State == 0 || n.Lapsed }
func (n nameState) open() bool                          { return n.vacant() && !n.Blocked }
func (n nameState) is(state storage.State, by int) bool { return n.State == state && n.By == by }
func (n nameState) openTo(account int) bool {
	return n.open() || n.is(storage.Protected, account) && !n.Blocked
}

// registry is the state of the model.
type registry struct {
	Names   [groupNames]nameState
	Won     uint64 // reservations that have their outcome
	Revoked uint64 // that may not be confirmed any more
}

// with is the state after a name changed hands, which leaves a block as it is.
func (r registry) with(name int, state storage.State, by int) registry {
	r.Names[name] = nameState{State: state, By: by, Blocked: r.Names[name].Blocked}
	return r
}

// username is the name that an account has, or none.
func (r registry) username(account int) int {
	return slices.IndexFunc(r.Names[:], func(n nameState) bool { return n.is(storage.Active, account) })
}

// effects are the states to which a successful operation may lead; without one it
// cannot succeed.
func (r registry) effects(o operation) []registry {
	n := r.Names[o.Name]
	switch o.Kind {
	case opReserve:
		return r.reserved(o, n)
	case opConfirm:
		return r.confirmed(o, n)
	case opRename:
		return r.renamed(o, n)
	case opRelease:
		if n.is(storage.Active, o.Account) {
			return []registry{r.with(o.Name, storage.Protected, o.Account)}
		}
	case opAll:
		if now := r.username(o.Account); now != none {
			return []registry{r.with(now, storage.Protected, o.Account)}
		}
		return []registry{r}
	case opRevoke:
		r.Revoked |= 1 << o.Reservation
		return []registry{r}
	case opFree:
		if n.is(storage.Reserved, o.Reservation) {
			return []registry{r.with(o.Name, 0, 0)}
		}
	case opBlock:
		return []registry{r.barring(o.Name, true)}
	case opUnblock:
		return onlyIf(n.Blocked, []registry{r.barring(o.Name, false)})
	}
	return nil
}

// reserved: a request that has its outcome changes nothing.
func (r registry) reserved(o operation, n nameState) (next []registry) {
	if r.Won>>o.Reservation&1 == 1 {
		next = append(next, r)
	}
	if n.open() || n.is(storage.Reserved, o.Reservation) && !n.Blocked {
		won := r.with(o.Name, storage.Reserved, o.Reservation)
		won.Won |= 1 << o.Reservation
		next = append(next, won)
	}
	return next
}

// confirmed: a reservation that is there may be confirmed while a cancel is between
// its two steps; that cancel will find nothing.
func (r registry) confirmed(o operation, n nameState) []registry {
	if n.is(storage.Active, o.Account) {
		return []registry{r}
	}
	holds := n.is(storage.Reserved, o.Reservation) && !n.Blocked
	revoked := r.Revoked>>o.Reservation&1 == 1
	if r.username(o.Account) == none && (holds || n.openTo(o.Account) && !revoked) {
		return []registry{r.with(o.Name, storage.Active, o.Account)}
	}
	return nil
}

// renamed: an account without a name may take back one that it left.
func (r registry) renamed(o operation, n nameState) []registry {
	now := r.username(o.Account)
	switch {
	case now == o.Name:
		return []registry{r}
	case now != none && n.openTo(o.Account):
		return []registry{r.with(now, storage.Protected, o.Account).with(o.Name, storage.Active, o.Account)}
	case now == none && n.is(storage.Protected, o.Account) && !n.Blocked:
		return []registry{r.with(o.Name, storage.Active, o.Account)}
	}
	return nil
}

// succeeds are the states after an operation that was answered.
func (r registry) succeeds(o operation, out reply) []registry {
	switch o.Kind {
	case opLapse:
		return r.lapsed(o, out)
	case opLookup:
		return r.when(r.shows(r.Names[o.Name], out))
	case opFree:
		return append(r.when(out.Marked), r.effects(o)...)
	case opBlock, opUnblock:
		return r.ordered(o, out)
	case opAccount:
		return r.when(slices.Equal(out.Names, r.namesOf(o.Account)))
	case opAll:
		return onlyIf(slices.Equal(out.Names, r.namesOf(o.Account)), r.effects(o))
	case opRename:
		now := r.username(o.Account)
		if now == o.Name {
			now = none
		}
		return onlyIf(out.Former == now, r.effects(o))
	}
	return r.effects(o)
}

func (r registry) namesOf(account int) []int {
	if now := r.username(account); now != none {
		return []int{now}
	}
	return []int{}
}

// lapsed: the row had no intent, so it is as the model has it, but for one that was
// won late, to be given back at once.
func (r registry) lapsed(o operation, out reply) []registry {
	next := onlyIf(out.State == 0 || out.Marked, []registry{r})
	if out.State != 0 && r.Names[o.Name].is(out.State, out.By) {
		r.Names[o.Name].Lapsed = true
		next = append(next, r)
	}
	return next
}

// refused says whether an operation may be refused.
func (r registry) refused(o operation, out reply) bool {
	n := r.Names[o.Name]
	switch out.Is {
	case isNotFound:
		if o.Kind == opFree {
			return out.Marked || !n.is(storage.Reserved, o.Reservation)
		}
		return r.Revoked>>o.Reservation&1 == 1
	case isLimit:
		now := r.username(o.Account)
		return now != none && now != o.Name
	case isNotOwner:
		if o.Kind == opRename {
			return r.username(o.Account) == none && (!n.is(storage.Protected, o.Account) || n.Lapsed)
		}
		return !n.is(storage.Active, o.Account)
	case isOpen:
		return !n.Blocked
	case isHeld:
		return n.Blocked == out.Blocked && out.Marked || r.shows(n, out) && len(r.effects(o)) == 0
	}
	return false
}

// shows says whether a row may look so. A row shows what was decided, unless that
// is still to be carried out; so it may show an active name as reserved, protected
// names as active, and the other way round. A block is never under way.
func (r registry) shows(n nameState, out reply) bool {
	switch {
	case n.Blocked != out.Blocked:
		return false
	case out.State == 0:
		return n.vacant()
	case out.Exact:
		return (!n.Lapsed || n.Blocked) && n.is(out.State, out.By) || out.Marked && n.vacant()
	case out.Marked:
		return true
	case out.State == storage.Reserved:
		return n.is(storage.Reserved, out.By) || n.State == storage.Active
	}
	return (n.State == storage.Active || n.State == storage.Protected) && n.By == out.By
}

func (r registry) when(yes bool) []registry { return onlyIf(yes, []registry{r}) }

func onlyIf(yes bool, list []registry) []registry {
	if yes {
		return list
	}
	return nil
}

// next are the states after an operation with its reply.
func (r registry) next(o operation, out reply) []registry {
	switch out.Is {
	case isOK:
		return r.succeeds(o, out)
	case isUnknown:
		return append(r.effects(o), r)
	}
	return r.when(r.refused(o, out))
}

var hashSeed = maphash.MakeSeed()

func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{registry{}} },
		Step: func(state, input, output any) []any {
			var next []any
			for _, r := range state.(registry).next(input.(operation), output.(reply)) {
				next = append(next, r)
			}
			return next
		},
		Hash:              func(state any) uint64 { return maphash.Comparable(hashSeed, state.(registry)) },
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
	return m.ToModel()
}
