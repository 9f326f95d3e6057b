package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
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
	same     map[int]int       // a line that says what an earlier one does: that one
}

func (p *importing) run(ctx context.Context) error {
	p.holdings = make([]storage.Holding, len(p.lines))
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
func (p *importing) open(of func(storage.ImportLine) (storage.Vshard, bool)) (map[*database][]int, error) {
	groups := map[*database][]int{}
	for i, l := range p.lines {
		v, wanted := of(l)
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

func byName(l storage.ImportLine) (storage.Vshard, bool) {
	return storage.VshardOf(l.Identifier), true
}

func byOwner(l storage.ImportLine) (storage.Vshard, bool) {
	return storage.VshardOfOwner(l.Owner), l.Owner != ""
}

// writeHoldings wins the names by the statement of a reserve, as Active.
func (p *importing) writeHoldings(ctx context.Context) error {
	groups, err := p.open(byName)
	if err != nil {
		return err
	}
	var writes errgroup.Group
	for d, group := range groups {
		writes.Go(func() error { return p.writeGroup(ctx, d, group) })
	}
	return writes.Wait()
}

func (p *importing) writeGroup(ctx context.Context, d *database, group []int) error {
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
		if err := p.judge(group[n], r); err != nil {
			return err
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
func (p *importing) judge(i int, r *winResult) error {
	h := r.holding
	switch {
	case r.verdict != settled:
		return &storage.UnavailableError{RetryAfter: retryAfter, Cause: errNotOwned}
	case r.won:
		p.outcomes[i].Added = true
	case h.State != storage.Active:
		p.refuse(i, "the name is reserved, protected or blocked")
	case h.Owner != p.lines[i].Owner:
		p.refuse(i, "the name has another owner")
	}
	p.holdings[i] = h
	return nil
}

// A slot of an import is the first one, and is taken only by an owner without one.
const (
	slotsSQL = `
SELECT i.n, s.key
FROM unnest($1::smallint[], $2::smallint[], $3::text[]) WITH ORDINALITY AS i (vshard, kind, owner, n)
JOIN LATERAL (
	SELECT key FROM slots s WHERE s.vshard = i.vshard AND s.owner = i.owner AND s.kind = i.kind LIMIT 1
) s ON true`
	takeSlotsSQL = `
WITH counted AS (
	INSERT INTO accounts (vshard, owner)
	SELECT i.vshard, i.owner
	FROM unnest($1::smallint[], $3::text[]) AS i (vshard, owner)
	JOIN vshards v ON v.vshard = i.vshard AND v.state = 'OWNED' AND ` + isolated + `
	ORDER BY i.vshard, i.owner
	ON CONFLICT (vshard, owner) DO UPDATE SET version = accounts.version + 1, xid = pg_current_xact_id()
	RETURNING vshard, owner
)
INSERT INTO slots (vshard, kind, slot, owner, key, grant_id, canonical, display)
SELECT vshard, i.kind, 0, owner, i.key, i.grant_id, i.canonical, i.display
FROM unnest($1::smallint[], $2::smallint[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[])
	AS i (vshard, kind, owner, key, grant_id, canonical, display)
JOIN counted USING (vshard, owner)
ORDER BY vshard, owner, i.kind
ON CONFLICT DO NOTHING`
)

// refuseSecondNames refuses lines whose owner has another name already.
func (p *importing) refuseSecondNames(ctx context.Context) error {
	return p.eachOwner(ctx, func(d *database, group []int, c slotColumns) error {
		return d.read(ctx, p.refuseOthers(group), slotsSQL, c.vshards, c.kinds, c.owners)
	})
}

func (p *importing) refuseOthers(group []int) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var n int
		var key string
		_, err := pgx.ForEachRow(rows, []any{&n, &key}, func() error {
			if i := group[n-1]; key != p.lines[i].Identifier.Key() {
				p.refuse(i, "the owner has another name: %s", key)
			}
			return nil
		})
		return err
	}
}

// writeSlots lists the names with their owners. A sign-up that took the owner's
// slot since it was read keeps it, and the line's name is given back.
func (p *importing) writeSlots(ctx context.Context) error {
	err := p.eachOwner(ctx, func(d *database, _ []int, c slotColumns) error {
		return d.write(ctx, statement{takeSlotsSQL, []any{c.vshards, c.kinds, c.owners, c.keys, c.grants, c.canonicals, c.displays}, drain})
	})
	if err != nil {
		return err
	}
	if err := p.refuseSecondNames(ctx); err != nil {
		return err
	}
	for i, l := range p.lines {
		if l.Owner == "" || p.outcomes[i].Refused == "" || !p.outcomes[i].Added {
			continue
		}
		p.outcomes[i].Added = false
		if _, err := p.store.release(ctx, release{l.Identifier, p.holdings[i].Grant, storage.Active, causeCancel, "import"}); err != nil {
			return err
		}
	}
	return nil
}

// slotColumns are the parameters of the statements on slots.
type slotColumns struct {
	vshards, kinds []int16
	owners, keys   []string
	grants         []pgtype.UUID

	canonicals, displays []string
}

// eachOwner calls do for each database with its lines that have an owner.
func (p *importing) eachOwner(ctx context.Context, do func(*database, []int, slotColumns) error) error {
	groups, err := p.open(byOwner)
	if err != nil {
		return err
	}
	for d, group := range groups {
		var c slotColumns
		for _, i := range group {
			l := p.lines[i]
			c.vshards = append(c.vshards, int16(storage.VshardOfOwner(l.Owner)))
			c.kinds = append(c.kinds, int16(l.Identifier.Kind()))
			c.owners, c.keys = append(c.owners, l.Owner), append(c.keys, l.Identifier.Key())
			c.grants = append(c.grants, uuid(p.holdings[i].Grant))
			c.canonicals, c.displays = append(c.canonicals, l.Identifier.Canonical()), append(c.displays, l.Identifier.Display())
		}
		if err := persist(ctx, func() error { return do(d, group, c) }); err != nil {
			return err
		}
	}
	return nil
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
