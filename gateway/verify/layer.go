package verify

import (
	"context"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// Layer is a layer of the checks, to be compared with the databases. Its methods may be
// called at the same time.
type Layer interface {
	// Name is what answers call it.
	Name() registry.Layer
	// Each gives yield the usernames of some vshards that it may be wrong about, until
	// yield fails. What it cannot give is told by its error.
	Each(ctx context.Context, in *Sample, yield func(identifier.Identifier) error) error
	// Says is what it would answer by itself; false for nothing.
	Says(ctx context.Context, id identifier.Identifier) (storage.Standing, bool, error)
	// Mend has it say what the databases have, soon, or nothing.
	Mend(ctx context.Context, ids []identifier.Identifier) error
}

// Sample says which vshards are looked at.
type Sample [storage.Vshards]bool

// Has says whether an identifier is of these.
func (s *Sample) Has(id identifier.Identifier) bool { return s[storage.VshardOf(id)] }

// sampleOf chooses a share of the vshards, one at least, by numbers of [0, 1).
func sampleOf(share float64, random func() float64) (s Sample) {
	order := make([]int, storage.Vshards)
	for i := range order {
		j := int(random() * float64(i+1))
		order[i], order[j] = order[j], i
	}
	for _, v := range order[:max(1, min(storage.Vshards, int(share*storage.Vshards+0.5)))] {
		s[v] = true
	}
	return s
}
