package storage

import "context"

// Fault is a guarantee that is broken. Its text is for people.
type Fault string

// The faults that a verification looks for.
const (
	TwoOwnersOfVshard Fault = "virtual shards owned by two databases"
	NoOwnerOfVshard   Fault = "virtual shards owned by no database"
	HeldTwice         Fault = "identifiers with rows in two databases"
	Astray            Fault = "rows in a database that does not have their virtual shard"
	ListedTwice       Fault = "identifiers listed by two accounts"
	NotHeld           Fault = "identifiers that an account lists and does not hold"
	NotListed         Fault = "identifiers that an account holds and does not list"
	Misspelt          Fault = "identifiers that an account lists in another spelling than it holds"
	Ownerless         Fault = "identifiers that are protected for no account"
	OverLimit         Fault = "accounts with more identifiers of a kind than the limit"
	OverdueChange     Fault = "changes that were decided and not carried out"
	OverdueIntent     Fault = "intents of changes whose time is over"
	EndlessIntent     Fault = "intents of changes that last for an hour yet, or for ever"
	NotSwept          Fault = "identifiers that ran out and were not swept"
	LeftBehind        Fault = "identifiers that nobody has, with rows that no block keeps"
)

// Faults lists every fault, in the order of a report.
func Faults() []Fault {
	return []Fault{
		TwoOwnersOfVshard, NoOwnerOfVshard, HeldTwice, Astray, ListedTwice, NotHeld, NotListed,
		Misspelt, Ownerless, OverLimit, OverdueChange, OverdueIntent, EndlessIntent, NotSwept, LeftBehind,
	}
}

// MaxExamples is how many examples of a fault are given.
const MaxExamples = 10

// Findings are what a verification found of one fault.
type Findings struct {
	Count int64
	// Examples are the first MaxExamples, as text for an operator. Identifiers of
	// private kinds appear by their keys, which are hashes.
	Examples []string
}

// Verified says how far a verification is.
type Verified struct {
	Holdings, Slots int64 // looked at
}

// Verification is the result of a verification.
type Verification struct {
	Verified
	// Faults has only those that were found.
	Faults map[Fault]*Findings
	// Unseen says, for an operator, what could not be looked at, and why.
	Unseen []string
}

// Verifier looks for broken guarantees.
type Verifier interface {
	// Verify reads all databases, and writes nothing. What looks broken is looked at
	// again after a moment, so that changes under way do not count. It fails only
	// with the context's error; progress is called now and then.
	Verify(ctx context.Context, progress func(Verified)) (Verification, error)
}
