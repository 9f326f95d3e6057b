package verify

import (
	"context"
	"errors"
	"fmt"

	"namegate/storage/identifier"
)

const (
	// batch is how many names are compared at a time.
	batch = 1024
	// maxSuspects is how many names of a layer are looked at again.
	maxSuspects = 10_000
	// maxUnread is how many names may be unreadable before a layer is given up.
	maxUnread = 1000
	// progressNames is after how many names progress is told.
	progressNames = 100_000
)

// look is the verification of one layer.
type look struct {
	options  Options
	layer    Layer
	findings Findings
	progress func(Findings)
	batch    []suspect
	suspects []suspect
	dropped  int
	unread   int
	cause    error // why the first one could not be read
}

// errUnread ends a look that is of no use.
var errUnread = errors.New("too many names cannot be read; the rest was not looked at")

// first asks the layer for all names, and keeps those of which it says what contradicts.
func (l *look) first(ctx context.Context, in *Sample) {
	err := l.layer.Each(ctx, in, func(id identifier.Identifier) error {
		if l.findings.Names++; l.findings.Names%progressNames == 0 {
			l.progress(l.findings)
		}
		return l.ask(ctx, id)
	})
	l.note(errors.Join(err, l.compare(ctx)))
	if l.dropped > 0 {
		l.note(fmt.Errorf("%d more names contradict a database, and were not looked at again", l.dropped))
	}
	if l.unread > 0 {
		l.note(fmt.Errorf("%d names could not be read: %w", l.unread, l.cause))
	}
	l.progress(l.findings)
}

// note keeps what could not be looked at.
func (l *look) note(err error) {
	if err != nil {
		l.findings.Unseen = append(l.findings.Unseen, err.Error())
	}
}

func (l *look) ask(ctx context.Context, id identifier.Identifier) error {
	said, ok, err := l.layer.Says(ctx, id)
	if err != nil {
		return l.failed(err)
	}
	if !ok {
		return ctx.Err()
	}
	l.findings.Said++
	l.batch = append(l.batch, suspect{id: id, said: said})
	if len(l.batch) < batch {
		return nil
	}
	return l.compare(ctx)
}

// failed counts what could not be read, and gives up in the end.
func (l *look) failed(err error) error {
	if l.unread++; l.unread == 1 {
		l.cause = err
	}
	if l.unread > maxUnread {
		return errUnread
	}
	return nil
}

// compare reads the names of the batch.
func (l *look) compare(ctx context.Context) error {
	some := l.batch
	l.batch = l.batch[:0]
	read(ctx, l.options.Store, some)
	for _, s := range some {
		switch {
		case s.err != nil:
			if err := l.failed(s.err); err != nil {
				return err
			}
		case !s.contradicts():
		case len(l.suspects) == maxSuspects:
			l.dropped++
		default:
			l.suspects = append(l.suspects, s)
		}
	}
	return ctx.Err()
}
