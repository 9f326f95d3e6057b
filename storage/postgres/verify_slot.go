package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

const slotPagesSQL = `
SELECT s.vshard, s.owner, s.kind, s.slot, s.key, s.grant_id, s.canonical, s.display
FROM slots s WHERE (s.vshard, s.owner, s.kind, s.slot) > ($1::smallint, $2::text, $3::smallint, $4::smallint)
ORDER BY s.vshard, s.owner, s.kind, s.slot LIMIT $5`

// verifiedSlot is a row of slotPagesSQL.
type verifiedSlot struct {
	Vshard             int16
	Owner              string
	Kind               int16
	Slot               int16
	Key                string
	Grant              pgtype.UUID
	Canonical, Display pgtype.Text
}

func (s *verifiedSlot) id() identifier.Identifier {
	return identifier.Stored(identifier.Kind(s.Kind), s.Key, s.Canonical.String, s.Display.String)
}

func (s *verifiedSlot) String() string {
	return fmt.Sprintf("%v %s of account %s", identifier.Kind(s.Kind), s.Key, s.Owner)
}

// verifySlots goes through what accounts list, one database after the other.
func (v *verifier) verifySlots(ctx context.Context) error {
	for i, d := range v.databases {
		stream := &pages[verifiedSlot]{
			database: d, sql: slotPagesSQL, first: []any{int16(-1 << 15), "", int16(0), int16(0)},
			after: func(s verifiedSlot) []any { return []any{s.Vshard, s.Owner, s.Kind, s.Slot} },
		}
		if err := v.verifySlotsOf(ctx, i, stream); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) verifySlotsOf(ctx context.Context, i int, stream *pages[verifiedSlot]) error {
	var list []verifiedSlot
	var run slotRun
	for {
		s, err := stream.peek(ctx, v)
		if err != nil {
			if err := v.miss(ctx, "slots of database "+stream.database.name, err); err != nil {
				return err
			}
		}
		if s == nil || len(list) == verifySize {
			if err := v.verifyHeld(ctx, list); err != nil || s == nil {
				return err
			}
			list = list[:0]
		}
		stream.next()
		if v.vshards.copies(i, s.Vshard) {
			continue
		}
		v.result.Slots++
		if err := v.verifySlot(ctx, i, *s, run.count(*s)); err != nil {
			return err
		}
		if v.vshards.has(i, s.Vshard) {
			list = append(list, *s)
		}
	}
}

// slotRun counts the slots of one account and kind, which come one after the other.
type slotRun struct {
	last verifiedSlot
	n    int
}

func (r *slotRun) count(s verifiedSlot) int {
	if s.Vshard != r.last.Vshard || s.Owner != r.last.Owner || s.Kind != r.last.Kind {
		r.n = 0
	}
	r.last = s
	r.n++
	return r.n
}

// verifySlot suspects what a slot, the nth one of its account and kind, shows by itself.
func (v *verifier) verifySlot(ctx context.Context, i int, s verifiedSlot, nth int) error {
	if !v.vshards.has(i, s.Vshard) || storage.Vshard(s.Vshard) != storage.VshardOfOwner(s.Owner) {
		return v.suspect(ctx, s.String(), func(ctx context.Context) (*finding, error) { return v.lookAtStraySlot(ctx, i, s) })
	}
	limit := v.terms.Limits[identifier.Kind(s.Kind)]
	if nth != limit+1 {
		return nil
	}
	return v.suspect(ctx, s.String(), func(ctx context.Context) (*finding, error) {
		a, err := v.readAccount(ctx, s.Owner, storage.RequestID{})
		if err != nil {
			return nil, err
		}
		if n := len(a.of(identifier.Kind(s.Kind))); n > limit {
			return newFinding(storage.OverLimit, "account %s: %d of kind %v, where %d are allowed", s.Owner, n, identifier.Kind(s.Kind), limit), nil
		}
		return nil, nil
	})
}

func (v *verifier) lookAtStraySlot(ctx context.Context, i int, s verifiedSlot) (*finding, error) {
	if v.vshards.copies(i, s.Vshard) {
		return nil, nil
	}
	there := false
	err := v.read(ctx, v.databases[i], scanOne(&there), `SELECT true FROM slots
		WHERE vshard = $1::smallint AND owner = $2::text AND kind = $3::smallint AND slot = $4::smallint`, s.Vshard, s.Owner, s.Kind, s.Slot)
	if err != nil || !there || v.vshards.has(i, s.Vshard) && storage.Vshard(s.Vshard) == storage.VshardOfOwner(s.Owner) {
		return nil, err
	}
	return newFinding(storage.Astray, "slot of %v, as of vshard %d, in database %s", &s, s.Vshard, v.databases[i].name), nil
}
