package graph

import (
	"context"
	"fmt"

	"namegate/gateway/registry"
)

// suggest gives free names where they are of use: for a username that cannot be had.
func (r *Resolver) suggest(ctx context.Context, wanted string, first int32, useful bool) ([]string, error) {
	if first < 0 || first > registry.MaxSuggestions {
		return nil, &registry.InputError{Message: fmt.Sprintf("first must be from 0 to %d", registry.MaxSuggestions)}
	}
	if !useful || first == 0 {
		return []string{}, nil
	}
	return append([]string{}, r.registry.Suggest(ctx, wanted, int(first))...), nil
}
