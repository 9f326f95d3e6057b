package postgres

// turn says which row of a statement serves a call, and whether the call is the
// one that the row was made of.
type turn struct {
	row   int
	first bool
}

// distinct keeps the first call of each key, as one statement must not meet a
// row twice (SQLSTATE 21000), and says which kept one serves each call.
func distinct[T any, K comparable](calls []T, key func(T) K) (firsts []T, nth []turn) {
	rows := make(map[K]int, len(calls))
	firsts, nth = make([]T, 0, len(calls)), make([]turn, len(calls))
	for i, c := range calls {
		row, seen := rows[key(c)]
		if !seen {
			row = len(firsts)
			rows[key(c)] = row
			firsts = append(firsts, c)
		}
		nth[i] = turn{row, !seen}
	}
	return firsts, nth
}
