package postgres

import "context"

// step is a caller's part of a batch of writes: to win an identifier, to find or
// make the record of a request, or both in one transaction.
type step struct {
	win    *win
	record *record
}

// stepResult is what became of a step's parts; nil of one that it did not have.
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

// verdict is that of the win, or of a record alone.
func (r stepResult) verdict() verdict {
	if r.win != nil {
		return r.win.verdict
	}
	return r.record.verdict
}

// take takes the steps of a batch in one transaction: first all wins, then the
// records, which count what was won just now.
func (d *database) take(ctx context.Context, batch []step) ([]stepResult, error) {
	var wins []win
	var records []record
	for _, s := range batch {
		if s.win != nil {
			wins = append(wins, *s.win)
		}
		if s.record != nil {
			records = append(records, *s.record)
		}
	}
	w := newWinBatch(wins, causeReserve)
	r, err := newRecordBatch(records)
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
	return join(batch, w.results(), r.results()), nil
}

// join gives each step its parts of the results.
func join(batch []step, wins []winResult, records []recordResult) []stepResult {
	results := make([]stepResult, len(batch))
	for i, s := range batch {
		if s.win != nil {
			results[i].win, wins = &wins[0], wins[1:]
		}
		if s.record != nil {
			results[i].record, records = &records[0], records[1:]
		}
	}
	return results
}
