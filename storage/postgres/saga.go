package postgres

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// saga is one attempt at a change of an account over any number of databases.
//
//	begin   the decision's record, undecided
//	lay     an intent beside each identifier to take
//	decide  in the owner's vshard: the account, its record, what is left to do
//	carry   what was decided, in each database, by the recorded grants
//	clear   what was left to do
//
// Until decide, anybody may give the attempt up by deleting its record, and undo
// the intents; from then on, anybody carries it out.
type saga struct {
	change  storage.Change
	cause   string
	attempt [16]byte
	version int64 // of the account, as read

	takes     []take
	leaves    []leave
	respelled *slot  // the account's slot with its new display
	kept      []slot // the account's already, only in the answer

	reservation *storage.RequestKey // it must not be cancelled
	former      []string            // of the account, after the change
	counts      bool                // as a rename
	protection  time.Duration
}

// leave is an identifier that a saga has its account give up.
type leave struct {
	slot    slot
	act     actKind // actProtect or actRelease
	vacates bool    // its slot is not taken by another identifier
}

func newSaga(c storage.Change, cause string, a *account, terms storage.Terms) *saga {
	g := &saga{change: c, cause: cause, version: a.version, former: a.former, protection: terms.Protection}
	_, _ = rand.Read(g.attempt[:]) // never fails (crypto/rand)
	return g
}

// decidedIn is the owner's vshard.
func (g *saga) decidedIn() storage.Vshard { return storage.VshardOfOwner(g.change.Owner) }

// pointed says that the request's own record is another row than the decision.
func (g *saga) pointed() bool { return g.change.Request.Vshard != g.decidedIn() }

// key names the attempt.
func (g *saga) key() attempt { return attempt{g.decidedIn(), g.change.Request.ID, g.attempt} }

// acts are what follows from the decision.
func (g *saga) acts() []act {
	var acts []act
	for _, t := range g.takes {
		acts = append(acts, act{actTake, t.id, t.grant})
	}
	for _, l := range g.leaves {
		acts = append(acts, act{l.act, l.slot.id, l.slot.grant})
	}
	if g.respelled != nil {
		acts = append(acts, act{actRespell, g.respelled.id, g.respelled.grant})
	}
	return acts
}

// pending is what is left to do after the decision.
func (g *saga) pending(d decided) *pending {
	return &pending{
		request: g.change.Request.ID, cause: g.cause, actor: g.change.Actor, acts: g.acts(), since: d.since, expireAt: d.expireAt,
	}
}

// vshards are all that the saga reads or writes for its decision and after it.
func (g *saga) vshards() []storage.Vshard {
	list := []storage.Vshard{g.decidedIn(), g.change.Request.Vshard}
	for _, a := range g.acts() {
		list = append(list, storage.VshardOf(a.id))
	}
	if g.reservation != nil {
		list = append(list, g.reservation.Vshard)
	}
	return list
}

// outcome is the answer as the record keeps it.
func (g *saga) outcome() ([]byte, error) {
	var names []grantedName
	for _, s := range g.kept {
		names = append(names, newGrantedName(s.id, s.grant, storage.Active, s.since))
	}
	for _, t := range g.takes {
		names = append(names, newGrantedName(t.id, t.grant, storage.Active, time.Time{}))
	}
	if g.respelled != nil {
		names = append(names, newGrantedName(g.respelled.id, g.respelled.grant, storage.Active, g.respelled.since))
	}
	for _, l := range g.leaves {
		state := storage.Protected
		if l.act == actRelease {
			state = storage.Released
		}
		names = append(names, newGrantedName(l.slot.id, l.slot.grant, state, time.Time{}))
	}
	return json.Marshal(names)
}

// takeOf is a take with a grant of its own.
func (s *Store) takeOf(id identifier.Identifier, slot int16, holder storage.RequestID) take {
	return take{id: id, grant: s.newGrant(), holder: holder, slot: slot}
}
