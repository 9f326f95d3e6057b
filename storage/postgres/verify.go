package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

var _ storage.Verifier = (*Store)(nil)

const (
	// verifyPause is the moment after which something is looked at again.
	verifyPause = time.Second
	// verifySize is how many rows are read at once from each table.
	verifySize = 2000
	// verifyTries is how often a read is tried, with verifyPause in between.
	verifyTries = 3
)

// verifier is one verification. It reads tables in the order of their primary keys,
// a page of each database at a time, so it needs no more memory for more rows.
type verifier struct {
	*Store
	progress func(storage.Verified)
	result   storage.Verification
	claims   [][]claim    // on vshards, of each database
	vshards  vshardStates // the same, by vshard
	suspects []suspect
	dangling map[place]string // owner who lists, and does not hold, an identifier
	unseen   map[string]bool  // what result.Unseen says
	away     map[*database]error
}

// Verify looks for all that is broken.
func (s *Store) Verify(ctx context.Context, progress func(storage.Verified)) (storage.Verification, error) {
	v := &verifier{Store: s, progress: progress, dangling: map[place]string{}, unseen: map[string]bool{}, away: map[*database]error{}}
	v.result.Faults = map[storage.Fault]*storage.Findings{}
	for _, part := range []func(context.Context) error{
		v.verifyVshards, v.verifyHoldings, v.verifySlots, v.verifyStrays, v.verifyChanges, v.verifyIntents, v.lookAgain,
	} {
		if err := part(ctx); err != nil {
			return v.result, err
		}
	}
	v.result.Unseen = slices.Sorted(maps.Keys(v.unseen))
	return v.result, nil
}

// found counts a fault that is certain.
func (v *verifier) found(f *finding) {
	findings := v.result.Faults[f.fault]
	if findings == nil {
		findings = &storage.Findings{}
		v.result.Faults[f.fault] = findings
	}
	findings.Count += f.count
	if len(findings.Examples) < storage.MaxExamples {
		findings.Examples = append(findings.Examples, f.example)
	}
}

// miss notes what could not be looked at. It fails only with the context's error. What
// belongs to vshards that no database answers for may be much, and is noted as one.
func (v *verifier) miss(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if away, ok := errors.AsType[*storage.UnavailableError](err); ok && away.Cause != nil {
		err = away.Cause
	}
	if errors.Is(err, errNotOwned) {
		what = "part of what belongs to some virtual shards"
	}
	v.unseen[fmt.Sprintf("%s: %v", what, err)] = true
	return nil
}

// finding is a fault that was seen.
type finding struct {
	fault   storage.Fault
	count   int64
	example string
}

func newFinding(f storage.Fault, format string, args ...any) *finding {
	return &finding{f, 1, fmt.Sprintf(format, args...)}
}

// suspect is something that looked broken.
type suspect struct {
	about string
	tries int
	// look looks at it alone. It gives nil when nothing is broken, and errAgain when
	// it is changing.
	look func(context.Context) (*finding, error)
}

// maxSuspects is how many wait to be looked at again, all together.
const maxSuspects = 4096

func (v *verifier) suspect(ctx context.Context, about string, look func(context.Context) (*finding, error)) error {
	v.suspects = append(v.suspects, suspect{about: about, look: look})
	if len(v.suspects) < maxSuspects {
		return nil
	}
	return v.lookAgain(ctx)
}

// lookAgain looks at all suspects after a moment. What changes under each look is
// in use, and does not count.
func (v *verifier) lookAgain(ctx context.Context) error {
	for len(v.suspects) > 0 {
		if err := pause(ctx, verifyPause); err != nil {
			return err
		}
		if err := v.readVshards(ctx); err != nil {
			return err
		}
		list := v.suspects
		v.suspects = nil
		for _, s := range list {
			if err := v.judge(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) judge(ctx context.Context, s suspect) error {
	found, err := s.look(ctx)
	switch s.tries++; {
	case errors.Is(err, errAgain) && s.tries < verifyTries:
		v.suspects = append(v.suspects, s)
	case errors.Is(err, errAgain):
	case err != nil:
		return v.miss(ctx, s.about, err)
	case found != nil:
		v.found(found)
	}
	return nil
}

// read reads rows of a database, also when it is away for a moment. One that is away
// for longer is not asked again.
func (v *verifier) read(ctx context.Context, d *database, scan func(pgx.Rows) error, sql string, args ...any) error {
	for n := 1; v.away[d] == nil; n++ {
		err := d.look(ctx, scan, sql, args...)
		if err == nil {
			return nil
		}
		if n == verifyTries {
			v.away[d] = err
			break
		}
		if err := pause(ctx, verifyPause); err != nil {
			return err
		}
	}
	return v.away[d]
}
