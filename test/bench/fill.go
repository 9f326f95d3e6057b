package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"namegate/storage"
)

// pieceSize is how many names go to the store at once, as in an import from a file.
const pieceSize = 5000

// progressEvery is how often the progress of an import is shown.
const progressEvery = 5 * time.Second

// fill imports the registry's names. It vacuums as autovacuum would some
// minutes later, in the middle of the measurements.
func (r *registry) fill(ctx context.Context) error {
	begun := time.Now()
	shown := begun
	for first := uint64(0); first < r.names; first += pieceSize {
		if err := r.importPiece(ctx, first, min(first+pieceSize, r.names)); err != nil {
			return fmt.Errorf("import names: %w", err)
		}
		if now := time.Now(); now.Sub(shown) >= progressEvery {
			shown = now
			fmt.Fprintf(os.Stderr, "imported %s names in %v\n", grouped(first+pieceSize), now.Sub(begun).Round(time.Second))
		}
	}
	if err := r.store.Finish(ctx); err != nil {
		return fmt.Errorf("finish the import: %w", err)
	}
	return r.each(ctx, "VACUUM")
}

// importPiece imports the names of indexes from first up to end, which is not among them.
func (r *registry) importPiece(ctx context.Context, first, end uint64) error {
	lines := make([]storage.ImportLine, 0, end-first)
	for index := first; index < end; index++ {
		id, err := r.identifier(imported, index)
		if err != nil {
			return err
		}
		lines = append(lines, storage.ImportLine{Number: int(index + 1), Identifier: id})
	}
	outcomes, err := r.store.Import(ctx, lines)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Refused != "" || !o.Added {
			return fmt.Errorf("line %d was not added: %s", o.Number, o.Refused)
		}
	}
	return nil
}
