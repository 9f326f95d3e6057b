package shard

import "namegate/bloomnet/bloom"

// Built is an image made of a database's table, as of a position in its feed: the head's.
// What is reserved is not in the base.
func Built(head Head, base *bloom.Filter, names uint64, reserved []bloom.Hash) Image {
	e := Entry{Epoch: head.Epoch, Database: head.Database, At: head.At.At, Reserved: true}
	m := Image{Head: head, Base: base, Names: names, Epoch: e.Epoch, Database: e.Database, AsOf: head.At}
	for _, e.Hash = range reserved {
		m.Recent = append(m.Recent, e)
	}
	return m
}

// Fold is an image whose base has everything but what is reserved, by a number from the
// shard's database.
func (m Image) Fold(build uint64) Image {
	folded := m
	folded.Base, folded.Recent = m.Base.Clone(), nil
	folded.Head = Head{Epoch: m.Epoch, Build: build, Database: m.Database, At: m.AsOf}
	for _, e := range m.Recent {
		if e.Reserved {
			folded.Recent = append(folded.Recent, e)
			continue
		}
		folded.Base.Add(e.Hash)
		folded.Names++
	}
	return folded
}
