package verify

import (
	"context"
	"errors"
	"fmt"

	"namegate/storage"
	"namegate/storage/identifier"
)

const (
	// batch is how many names are compared at a time.
	batch = 1024
	// maxSuspects is how many names of a layer are looked at again.
	maxSuspects = 10_000
	// maxUnread is how many names in a row may be unreadable before a layer is given up.
	maxUnread = 5000
	// maxCauses is how many of them are told.
	maxCauses = 5
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
	unread   map[string]int // names that could not be read, by the cause
	inARow   int            // of them
}

// errUnread ends a look that is of no use.
var errUnread = errors.New("too many names in a row cannot be read; the rest was not looked at")

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
	for cause, names := range l.unread {
		l.note(fmt.Errorf("%d names could not be read: %s", names, cause))
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
	if l.unread == nil {
		l.unread = map[string]int{}
	}
	cause := causeOf(err)
	if _, known := l.unread[cause]; !known && len(l.unread) >= maxCauses {
		cause = "other causes"
	}
	l.unread[cause]++
	if l.inARow++; l.inARow > maxUnread {
		return errUnread
	}
	return nil
}

// causeOf is what is told of an error.
func causeOf(err error) string {
	if away, ok := errors.AsType[*storage.UnavailableError](err); ok && away.Cause != nil {
		return away.Error() + ": " + away.Cause.Error()
	}
	return err.Error()
}

// compare reads the names of the batch.
func (l *look) compare(ctx context.Context) error {
	some := l.batch
	l.batch = l.batch[:0]
	read(ctx, l.options.Store, some)
	for _, s := range some {
		if s.err != nil {
			if err := l.failed(s.err); err != nil {
				return err
			}
			continue
		}
		l.inARow = 0
		switch {
		case !s.contradicts():
		case len(l.suspects) == maxSuspects:
			l.dropped++
		default:
			l.suspects = append(l.suspects, s)
		}
	}
	return ctx.Err()
}
