package postgres

import (
	"context"
	"fmt"
	"time"

	"namegate/storage"
)

// overdueAfter is for how long a decided change, or an intent that anybody may
// settle, may stand there: sweepers come by every few seconds.
const overdueAfter = time.Minute

// verifyChanges suspects accounts with a decision that nobody carries out.
func (v *verifier) verifyChanges(ctx context.Context) error {
	for _, d := range v.databases {
		last := leftAccount{Vshard: -1}
		for full := true; full; {
			list, err := d.leftAccounts(ctx, last, overdueAfter)
			if err != nil {
				if err := v.miss(ctx, "accounts of database "+d.name, err); err != nil {
					return err
				}
			}
			for _, last = range list {
				owner := last.Owner
				if err := v.suspect(ctx, "account "+owner, func(ctx context.Context) (*finding, error) { return v.lookAtChange(ctx, owner) }); err != nil {
					return err
				}
			}
			full = len(list) == leftSize
		}
	}
	return nil
}

func (v *verifier) lookAtChange(ctx context.Context, owner string) (*finding, error) {
	a, err := v.readAccount(ctx, owner, storage.RequestID{})
	if err != nil || a.pending == nil || !a.pending.since.IsZero() && a.now.Sub(a.pending.since) < overdueAfter {
		return nil, err
	}
	return newFinding(storage.OverdueChange, "account %s: %s, decided at %s", owner, a.pending.cause, a.pending.since.Format(time.RFC3339)), nil
}

// verifyIntents suspects intents that nobody settles.
func (v *verifier) verifyIntents(ctx context.Context) error {
	for _, d := range v.databases {
		from := longAgo
		for full := true; full; {
			list, last, err := d.leftIntents(ctx, from, overdueAfter)
			if err != nil {
				if err := v.miss(ctx, "intents of database "+d.name, err); err != nil {
					return err
				}
			}
			for _, in := range list {
				about := fmt.Sprintf("%v %s", in.id.Kind(), in.id.Key())
				if err := v.suspect(ctx, about, func(ctx context.Context) (*finding, error) {
					now, err := v.readIntent(ctx, in.id)
					if err != nil || now == nil || now.grant != in.grant || now.attempt != in.attempt || !now.overdue {
						return nil, err
					}
					return newFinding(storage.OverdueIntent, "%s", about), nil
				}); err != nil {
					return err
				}
			}
			full, from = len(list) == leftSize, last
		}
	}
	return nil
}
