package verify

import "namegate/gateway/registry"

// Report is what a verification found.
type Report struct {
	Layers []Findings `json:"layers"`
}

// Findings are those of one layer.
type Findings struct {
	Layer registry.Layer `json:"layer"`
	// Names is how many names it was asked for, and Said of how many it said something.
	Names uint64 `json:"names"`
	Said  uint64 `json:"said"`
	// Wrong is for how many it said what was not so, for longer than it may, and Mended
	// of how many of these it no longer did at the end.
	Wrong  uint64 `json:"wrong"`
	Mended uint64 `json:"mended"`
	// Examples are some of the wrong ones.
	Examples []string `json:"examples,omitempty"`
	// Unseen is what could not be looked at.
	Unseen []string `json:"unseen,omitempty"`
}

// Wrong says whether any layer was wrong, and is still.
func (r Report) Wrong() bool {
	for _, f := range r.Layers {
		if f.Wrong > f.Mended {
			return true
		}
	}
	return false
}

// Whole says whether everything could be looked at.
func (r Report) Whole() bool {
	for _, f := range r.Layers {
		if len(f.Unseen) > 0 {
			return false
		}
	}
	return true
}
