package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// pages reads a table of one database from end to end, in the order of its primary
// key, with one short statement for each page.
type pages[Row any] struct {
	database *database
	sql      string
	// after are the parameters that select what comes after a row.
	after func(Row) []any
	first []any // those that select all

	page []Row // what is left of it
	last *Row
	over bool
}

// peek gives the next row, nil at the end.
func (p *pages[Row]) peek(ctx context.Context, v *verifier) (*Row, error) {
	if len(p.page) == 0 && !p.over {
		args := p.first
		if p.last != nil {
			args = p.after(*p.last)
		}
		err := v.read(ctx, p.database, func(rows pgx.Rows) (err error) {
			p.page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
			return err
		}, p.sql, append(args, verifySize)...)
		if err != nil {
			p.over = true
			return nil, err
		}
		p.over = len(p.page) < verifySize
		if v.progress != nil {
			v.progress(v.result.Verified)
		}
	}
	if len(p.page) == 0 {
		return nil, nil
	}
	return &p.page[0], nil
}

// next leaves the row that peek gave behind.
func (p *pages[Row]) next() {
	p.last = &p.page[0]
	p.page = p.page[1:]
}
