package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// actKind is what a decided saga does to one holding. Its numbers stand in tables.
type actKind int16

const (
	actTake    actKind = 1 // becomes the account's, Active
	actProtect actKind = 2 // is given up, Protected for the account
	actRelease actKind = 3 // is given up, and free
	actRespell actKind = 4 // gets another display of the same key
)

// act is one step that follows from a decision. It is conditional on a grant: of
// the intent for actTake, of the tenure for the others. So an act that was done
// already, or comes late, does nothing.
type act struct {
	kind  actKind
	id    identifier.Identifier
	grant storage.Grant
}

// pending is a decided saga that may not have been carried out everywhere.
type pending struct {
	request storage.RequestID
	cause   string
	actor   string
	acts    []act
	// since is the time of the decision, expireAt that of protections it began.
	since, expireAt time.Time
	// stored is how it stands in the account's row: nobody clears another one.
	stored []byte
}

// storedPending is the JSON of a pending saga in an account's row.
type storedPending struct {
	Cause string      `json:"cause"`
	Actor string      `json:"actor,omitempty"`
	Acts  []storedAct `json:"acts"`
}

type storedAct struct {
	Act       actKind         `json:"act"`
	Kind      identifier.Kind `json:"kind"`
	Key       string          `json:"key"`
	Canonical *string         `json:"canonical,omitempty"`
	Display   *string         `json:"display,omitempty"`
	Grant     []byte          `json:"grant"`
}

// encode fills stored.
func (p *pending) encode() (err error) {
	s := storedPending{Cause: p.cause, Actor: p.actor}
	for _, a := range p.acts {
		s.Acts = append(s.Acts, storedAct{
			Act: a.kind, Kind: a.id.Kind(), Key: a.id.Key(), Grant: a.grant[:],
			Canonical: unless(a.id.Canonical(), a.id.Key()), Display: unless(a.id.Display(), a.id.Key()),
		})
	}
	p.stored, err = json.Marshal(s)
	return err
}

// decodePending undoes encode.
func decodePending(stored []byte) (*pending, error) {
	var s storedPending
	if err := json.Unmarshal(stored, &s); err != nil {
		return nil, fmt.Errorf("read what is pending for an account: %w", err)
	}
	p := &pending{cause: s.Cause, actor: s.Actor, stored: bytes.Clone(stored)}
	for _, a := range s.Acts {
		id := identifier.Stored(a.Kind, a.Key, or(a.Canonical, a.Key), or(a.Display, a.Key))
		p.acts = append(p.acts, act{kind: a.Act, id: id, grant: storage.Grant(a.Grant)})
	}
	return p, nil
}
