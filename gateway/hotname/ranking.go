package hotname

import "container/heap"

// ranking has all entries, that with the least life left first.
type ranking []*entry

var _ heap.Interface = (*ranking)(nil)

// Len, Less, Swap, Push and Pop are for package heap.
func (r ranking) Len() int           { return len(r) }
func (r ranking) Less(i, j int) bool { return r[i].end < r[j].end }

func (r ranking) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].rank, r[j].rank = i, j
}

// Push adds the last one.
func (r *ranking) Push(x any) {
	e := x.(*entry)
	e.rank = len(*r)
	*r = append(*r, e)
}

// Pop takes the last one.
func (r *ranking) Pop() any {
	last := len(*r) - 1
	e := (*r)[last]
	(*r)[last] = nil
	*r = (*r)[:last]
	return e
}
