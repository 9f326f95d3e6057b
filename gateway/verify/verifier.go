package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"namegate/storage"
)

// Options set a Verifier up. Every field is required.
type Options struct {
	// Layers are compared in this order with what Store says.
	Layers []Layer
	Store  storage.Reader
	// Settle is longer than a layer may be behind.
	Settle time.Duration
	// Sleep waits, or fails when the context ends.
	Sleep func(context.Context, time.Duration) error
	// Random gives a number of [0, 1).
	Random func() float64
}

// Request says what to do.
type Request struct {
	// Share is that of the vshards to look at, chosen at random: more than 0, at most 1.
	Share float64 `json:"share"`
	// Repair has layers mended that are wrong.
	Repair bool `json:"repair"`
}

// Validate returns what is wrong.
func (r Request) Validate() error {
	if !(r.Share > 0 && r.Share <= 1) {
		return errors.New("the share to look at must be more than 0, and at most 1")
	}
	return nil
}

// Verifier compares the layers of one replica with the databases.
type Verifier struct{ options Options }

// New makes a Verifier.
func New(o Options) *Verifier { return &Verifier{o} }

// Run looks at all layers, and calls progress now and then with what was found so far. It
// fails with what Validate finds and with the context's error alone.
func (v *Verifier) Run(ctx context.Context, r Request, progress func(Findings)) (Report, error) {
	if err := r.Validate(); err != nil {
		return Report{}, err
	}
	in := sampleOf(r.Share, v.options.Random)
	var looks []*look
	for _, layer := range v.options.Layers {
		l := &look{options: v.options, layer: layer, findings: Findings{Layer: layer.Name()}, progress: progress}
		l.first(ctx, &in)
		looks = append(looks, l)
	}
	err := v.again(ctx, looks, (*look).second)
	if err == nil && r.Repair {
		err = v.again(ctx, looks, (*look).mend, (*look).third)
	}
	var report Report
	for _, l := range looks {
		report.Layers = append(report.Layers, l.findings)
	}
	return report, errors.Join(err, ctx.Err())
}

// again has layers with suspects take further steps, with time to settle before the last.
func (v *Verifier) again(ctx context.Context, looks []*look, steps ...func(*look, context.Context)) error {
	var some []*look
	for _, l := range looks {
		if len(l.suspects) > 0 {
			some = append(some, l)
		}
	}
	for i, step := range steps {
		if i == len(steps)-1 && len(some) > 0 {
			if err := v.options.Sleep(ctx, v.options.Settle); err != nil {
				return fmt.Errorf("wait for layers to settle: %w", err)
			}
		}
		// What a layer was filled from is mended before it.
		for _, l := range slices.Backward(some) {
			step(l, ctx)
		}
	}
	return nil
}
