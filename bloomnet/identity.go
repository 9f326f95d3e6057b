package bloomnet

import (
	"slices"

	"namegate/bloomnet/shard"
)

// identities are those of the databases, by number; empty for one that was not read yet.
func (n *Net) identities(positions []shard.Position) []string {
	list := make([]string, len(positions))
	for i, p := range positions {
		if p != (shard.Position{}) {
			list[i] = n.options.Sources[i].Identity(p.Source)
		}
	}
	return list
}

// numbering gives the number that a database has here, by its identity.
func numbering(identities []string) func(identity string) (int, bool) {
	return func(identity string) (int, bool) {
		number := slices.Index(identities, identity)
		return number, number >= 0 && identity != ""
	}
}

// encode makes the bytes of an image, for others and for files.
func (n *Net) encode(number int, m shard.Image, positions []shard.Position) ([]byte, error) {
	return m.Encode(number, n.identities(positions))
}
