package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"namegate/storage/identifier"
)

// MaxChecks is how many names one CheckMany takes.
const MaxChecks = 20

// Check says whether a name can be had. A name that breaks a rule of form is an
// answer, not an error. Layers are asked from the cheapest on, and the first one that
// knows answers. It fails with the errors of storage.Reader.
func (r *Registry) Check(ctx context.Context, name string) (Availability, error) {
	answer := Availability{Requested: name, DecidedBy: LayerPolicy, AsOf: r.opts.Clock()}
	id, err := r.parse(identifier.Username, name)
	if invalid, ok := errors.AsType[*InvalidValueError](err); ok {
		answer.Reason, answer.Violations = InvalidForm, invalid.Violations
		return answer, nil
	}
	if err != nil {
		return Availability{}, err
	}
	answer.Canonical = id.Canonical()
	if r.policy.Refuses(id) {
		answer.Reason = NotAllowed
		return answer, nil
	}
	found, err := r.find(ctx, id)
	if err != nil {
		return Availability{}, err
	}
	answer.DecidedBy, answer.AsOf = found.Layer, found.AsOf
	if found.Held == nil {
		answer.Available = true
		return answer, nil
	}
	r.denied.Saw(id, found.Standing)
	answer.Reason = reasonOf(id, *found.Held)
	return answer, nil
}

// CheckMany checks up to MaxChecks names at once. Results are in the order of
// names, and one that failed leaves the others' answers in place. It fails with
// *InputError.
func (r *Registry) CheckMany(ctx context.Context, names []string) ([]CheckResult, error) {
	if len(names) > MaxChecks {
		return nil, &InputError{Message: fmt.Sprintf("at most %d names can be checked at once", MaxChecks)}
	}
	results := make([]CheckResult, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		group.Go(func() {
			results[i].Availability, results[i].Err = r.Check(ctx, name)
		})
	}
	group.Wait()
	return results, nil
}
