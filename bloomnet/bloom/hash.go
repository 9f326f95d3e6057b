package bloom

import "github.com/zeebo/xxh3"

// Hash stands for a name: two names with one Hash are one name to a filter and to all
// that is kept beside it. Among 1e9 names some two have the same with probability 1.5e-21.
type Hash struct{ Hi, Lo uint64 }

// Hasher makes Hashes. Those of one seed fit together, those of two do not.
type Hasher struct{ seed uint64 }

// NewHasher makes a Hasher for a seed. XXH3 is no cryptographic hash: whoever knows the
// seed can make names that collide, so a seed is drawn at random and shown to nobody who
// may choose names.
func NewHasher(seed uint64) Hasher { return Hasher{seed: seed} }

// Sum gives the 128-bit XXH3 of a name (xxHash 0.8, XXH3_128bits_withSeed). The function
// is the same for ever: Hashes are kept in files and sent to peers of other releases.
func (h Hasher) Sum(name string) Hash {
	sum := xxh3.HashString128Seed(name, h.seed)
	return Hash{Hi: sum.Hi, Lo: sum.Lo}
}
