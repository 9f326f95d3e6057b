package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"namegate/storage"
)

// importPiece is how many rows one transaction of an import writes: its share
// of the fence must be over soon, and memory stays bounded.
const importPiece = 2000

// importTries is how often a step of an import is tried.
const importTries = 5

// Import writes lines as Active holdings, in pieces, holdings before the slots
// of their owners: an import that broke off is finished by repeating it.
func (s *Store) Import(ctx context.Context, lines []storage.ImportLine) ([]storage.ImportOutcome, error) {
	outcomes := make([]storage.ImportOutcome, len(lines))
	for start := 0; start < len(lines); start += importPiece {
		end := min(start+importPiece, len(lines))
		p := &importing{store: s, lines: lines[start:end], outcomes: outcomes[start:end]}
		if err := p.run(ctx); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// importing is one piece of an import.
type importing struct {
	store    *Store
	lines    []storage.ImportLine
	outcomes []storage.ImportOutcome
	holdings []storage.Holding // of lines that are held as they say
	judged   []bool            // lines of which the name's database has said what became of them
	same     map[int]int       // a line that says what an earlier one does: that one
}

func (p *importing) run(ctx context.Context) error {
	p.holdings, p.judged = make([]storage.Holding, len(p.lines)), make([]bool, len(p.lines))
	for i, l := range p.lines {
		p.outcomes[i].Number = l.Number
	}
	if err := p.refuseSecondNames(ctx); err != nil {
		return err
	}
	p.refuseSecondLines()
	if err := p.writeHoldings(ctx); err != nil {
		return err
	}
	if err := p.writeSlots(ctx); err != nil {
		return err
	}
	for i, first := range p.same {
		p.outcomes[i].Refused = p.outcomes[first].Refused
	}
	return nil
}

func (p *importing) refuse(i int, format string, args ...any) {
	p.outcomes[i].Refused = fmt.Sprintf(format, args...)
}

// refuseSecondLines refuses a name that an earlier line of the piece gives to
// another owner, and an owner's second name.
func (p *importing) refuseSecondLines() {
	names, owners := map[place]int{}, map[string]int{}
	p.same = map[int]int{}
	for i, l := range p.lines {
		if p.outcomes[i].Refused != "" {
			continue
		}
		first, again := names[placeOf(l.Identifier)]
		switch {
		case again && p.lines[first].Owner != l.Owner:
			p.refuse(i, "line %d gives the same name to another owner", p.lines[first].Number)
		case again:
			p.same[i] = first
		default:
			names[placeOf(l.Identifier)] = i
		}
		if l.Owner == "" || again {
			continue
		}
		if first, again := owners[l.Owner]; again {
			p.refuse(i, "line %d gives this owner another name", p.lines[first].Number)
			continue
		}
		owners[l.Owner] = i
	}
}

// open groups the lines to write by the database that owns a vshard.
func (p *importing) open(of func(line int) (storage.Vshard, bool)) (map[*database][]int, error) {
	groups := map[*database][]int{}
	for i := range p.lines {
		v, wanted := of(i)
		if _, again := p.same[i]; again || !wanted || p.outcomes[i].Refused != "" {
			continue
		}
		d, err := p.store.routes.of(v)
		if err != nil {
			return nil, err
		}
		groups[d] = append(groups[d], i)
	}
	return groups, nil
}

func (p *importing) unjudged(i int) (storage.Vshard, bool) {
	return storage.VshardOf(p.lines[i].Identifier), !p.judged[i]
}

func (p *importing) owned(i int) (storage.Vshard, bool) {
	return storage.VshardOfOwner(p.lines[i].Owner), p.lines[i].Owner != ""
}

// writeHoldings wins the names by the statement of a reserve, as Active. A row that is
// written at the same time, or a vshard that has moved, has it try again.
func (p *importing) writeHoldings(ctx context.Context) error {
	for range importTries {
		asked := time.Now()
		groups, err := p.open(p.unjudged)
		if err != nil || len(groups) == 0 {
			return err
		}
		var astray atomic.Bool
		var writes errgroup.Group
		for d, group := range groups {
			writes.Go(func() error { return p.writeGroup(ctx, d, group, &astray) })
		}
		if err := writes.Wait(); err != nil {
			return err
		}
		if astray.Load() {
			p.store.refresh(ctx, asked)
		}
	}
	return &storage.UnavailableError{RetryAfter: retryAfter, Cause: errNotOwned}
}

func (p *importing) writeGroup(ctx context.Context, d *database, group []int, astrays *atomic.Bool) error {
	tries := make([]win, len(group))
	for n, i := range group {
		l := p.lines[i]
		tries[n] = win{id: l.Identifier, grant: p.store.newGrant(), owner: l.Owner, actor: "import"}
	}
	wins, err := newWinBatch(tries, causeImport, d.ownership.Load())
	if err != nil {
		return err
	}
	if err := persist(ctx, func() error { return d.write(ctx, wins.statement()) }); err != nil {
		return err
	}
	d.note(wins.known)
	for n, r := range wins.results() {
		if r.verdict == settled {
			p.judge(group[n], r)
		}
		if r.verdict == astray {
			astrays.Store(true)
		}
	}
	return nil
}

// persist tries a step of an import some times, as it is safe to repeat and
// nobody waits for it.
func persist(ctx context.Context, step func() error) error {
	for n := 1; ; n++ {
		err := step()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if n == importTries || !rolledBack(err) && !disconnected(err) && sqlState(err) != lockNotAvailable {
			return domainError(err)
		}
	}
}

// judge says what became of a line.
func (p *importing) judge(i int, r *winResult) {
	h := r.holding
	switch {
	case r.won:
		p.outcomes[i].Added = true
	case h.State != storage.Active:
		p.refuse(i, "the name is reserved, protected or blocked")
	case h.Owner != p.lines[i].Owner:
		p.refuse(i, "the name has another owner")
	}
	p.holdings[i], p.judged[i] = h, true
}

// Finish lets the planner know of what an import has written.
func (s *Store) Finish(ctx context.Context) error {
	for _, d := range s.databases {
		if _, err := d.pool.Exec(ctx, `ANALYZE holdings, slots`); err != nil {
			return domainError(err)
		}
	}
	return nil
}
