package main

import "strconv"

// A space is a part of all names that has none in common with another.
type space uint64

const (
	imported space = iota
	fresh          // reserved, each one once
	free           // only asked for
)

// maxIndex is the number of names in a space.
const maxIndex uint64 = 1 << indexBits

const (
	indexBits = 33
	nameBits  = 36
)

// appendName appends a name of a space, always the same for an index. Names of
// neighbouring indexes have nothing in common, so they stand apart in an index
// of a database. They are about as long as those that people choose: four
// syllables of 6 bits each, and 12 bits as a number, make 9 to 12 characters.
func appendName(b []byte, s space, index uint64) []byte {
	n := scatter(uint64(s)<<indexBits | index)
	for range 4 {
		b = append(b, "bdfghjklmnprstvz"[n&15], "aiou"[n>>4&3])
		n >>= 6
	}
	return strconv.AppendUint(b, n, 10)
}

// scatter maps the numbers of nameBits to themselves, no two to one: each step
// can be undone, as an odd factor has an inverse and a shift leaves the upper bits.
func scatter(n uint64) uint64 {
	const mask = 1<<nameBits - 1
	n = n * 0x9e3779b97f4a7c15 & mask
	n ^= n >> 17
	n = n * 0xbf58476d1ce4e5b9 & mask
	return n ^ n>>19
}
