package postgres

import "context"

// step is a caller's part of a batch of writes: to win an identifier, or to find
// or make the record of a request.
type step struct {
	win    *win
	record *record
}

// stepResult is what became of a step, by its kind. Results are large and mostly
// as their batch has them, so they are not copied.
type stepResult struct {
	win    *winResult
	record *recordResult
}

// row is what a step may wait for, or fail by.
func (s step) row() any {
	if s.win != nil {
		return placeOf(s.win.id)
	}
	return s.record.key
}

// take takes the steps of a batch in one transaction: first all wins, then the
// records.
func (d *database) take(ctx context.Context, batch []step) ([]stepResult, error) {
	wins := make([]win, 0, len(batch))
	var records []record
	for _, s := range batch {
		if s.win != nil {
			wins = append(wins, *s.win)
		} else {
			records = append(records, *s.record)
		}
	}
	known := d.ownership.Load()
	w, err := newWinBatch(wins, causeReserve, known)
	if err != nil {
		return nil, err
	}
	r, err := newRecordBatch(records, known)
	if err != nil {
		return nil, err
	}
	var statements []statement
	if len(wins) > 0 {
		statements = append(statements, w.statement())
	}
	if len(records) > 0 {
		statements = append(statements, r.statement())
	}
	if err := d.write(ctx, statements...); err != nil {
		return nil, err
	}
	d.note((len(wins) == 0 || w.known) && (len(records) == 0 || r.known))
	return deal(batch, w.results(), r.results()), nil
}

// deal gives each step the result that is its.
func deal(batch []step, wins []*winResult, records []*recordResult) []stepResult {
	results := make([]stepResult, len(batch))
	for i, s := range batch {
		if s.win != nil {
			results[i].win, wins = wins[0], wins[1:]
		} else {
			results[i].record, records = records[0], records[1:]
		}
	}
	return results
}
