package registry

import (
	"context"
	"sync"

	"namegate/gateway/suggest"
	"namegate/storage/identifier"
)

const (
	// MaxSuggestions is how many names one Suggest gives at most.
	MaxSuggestions = 5
	// spare is how many more names than wanted are asked for, as some may be taken.
	spare = 3
)

// Suggest gives up to n names that are free, for somebody who wanted what cannot be had,
// the best first. They are held for nobody. It never fails: what cannot be confirmed at
// once is left out, and maybe nothing is left.
func (r *Registry) Suggest(ctx context.Context, wanted string, n int) []string {
	if n = min(n, MaxSuggestions); n <= 0 {
		return nil
	}
	candidates := r.candidates(wanted, n+spare)
	free := make([]bool, len(candidates))
	var asking sync.WaitGroup
	for i, id := range candidates {
		asking.Go(func() { // in one batch for each database
			found, err := r.cache.Lookup(ctx, id)
			free[i] = err == nil && found.Held == nil
		})
	}
	asking.Wait()
	names := make([]string, 0, n)
	for i, id := range candidates {
		if free[i] && len(names) < n {
			names = append(names, id.Display())
		}
	}
	return names
}

// candidates are names that may be free, as far as is known without asking anybody.
func (r *Registry) candidates(wanted string, n int) (list []identifier.Identifier) {
	keys := map[string]bool{}
	if id, err := r.parse(identifier.Username, wanted); err == nil {
		keys[id.Key()] = true
	}
	var unsure []identifier.Identifier
	for name := range suggest.Names(wanted) {
		id, err := r.parse(identifier.Username, name)
		if err != nil || keys[id.Key()] || r.refuses(id) {
			continue
		}
		keys[id.Key()] = true
		if _, free := r.filter.Free(id); free {
			list = append(list, id)
		} else {
			unsure = append(unsure, id)
		}
		if len(list) == n {
			return list
		}
	}
	// Without a filter that vouches, the first ones are as good as any.
	return append(list, unsure[:min(len(unsure), n-len(list))]...)
}
