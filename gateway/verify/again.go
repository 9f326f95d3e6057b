package verify

import (
	"context"
	"fmt"

	"namegate/storage"
	"namegate/storage/identifier"
)

// maxExamples is how many wrong names are told.
const maxExamples = 5

// second keeps the suspects that still contradict a row that has not changed meanwhile.
func (l *look) second(ctx context.Context) {
	l.suspects, _ = l.still(ctx)
	l.findings.Wrong = uint64(len(l.suspects))
	for _, s := range l.suspects[:min(len(l.suspects), maxExamples)] {
		l.findings.Examples = append(l.findings.Examples, s.String())
	}
}

// mend mends the layer.
func (l *look) mend(ctx context.Context) {
	ids := make([]identifier.Identifier, len(l.suspects))
	for i, s := range l.suspects {
		ids[i] = s.id
	}
	if err := l.layer.Mend(ctx, ids); err != nil {
		l.note(fmt.Errorf("repair: %w", err))
	}
}

// third counts those that are no longer wrong.
func (l *look) third(ctx context.Context) {
	left, unread := l.still(ctx)
	l.findings.Mended = l.findings.Wrong - uint64(len(left)+unread)
}

// still asks for the suspects again. What cannot be read is noted, and not said to be wrong.
func (l *look) still(ctx context.Context) (left []suspect, unread int) {
	again := make([]suspect, len(l.suspects))
	for i, s := range l.suspects {
		again[i] = suspect{id: s.id}
		again[i].said, again[i].silent, again[i].err = l.says(ctx, s.id)
	}
	read(ctx, l.options.Store, again)
	var cause error
	for i, s := range again {
		switch {
		case s.err != nil:
			unread, cause = unread+1, s.err
		case !s.silent && s.contradicts() && s.has.Version == l.suspects[i].has.Version:
			left = append(left, s)
		}
	}
	if unread > 0 {
		l.note(fmt.Errorf("%d names could not be looked at again: %w", unread, cause))
	}
	return left, unread
}

func (l *look) says(ctx context.Context, id identifier.Identifier) (said storage.Standing, silent bool, err error) {
	said, ok, err := l.layer.Says(ctx, id)
	return said, !ok, err
}
