package storage

import (
	"hash/crc32"

	"namegate/storage/identifier"
)

// Vshards is the number of virtual shards. It never changes: it decides, with
// the hash, which rows of which table a key is looked for in.
const Vshards = 1024

// Vshard is the number of a virtual shard, from 0 to Vshards-1.
type Vshard int16

// VshardOf is where an identifier lives: CRC-32 (IEEE 802.3) of its key, mod
// 1024. The kind takes no part, as the key of a private kind already depends on it.
func VshardOf(id identifier.Identifier) Vshard { return vshardOf(id.Key()) }

// VshardOfOwner is where the records of an account live.
func VshardOfOwner(owner string) Vshard { return vshardOf(owner) }

func vshardOf(s string) Vshard {
	return Vshard(crc32.ChecksumIEEE([]byte(s)) % Vshards)
}
