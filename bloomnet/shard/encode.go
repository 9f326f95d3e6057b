package shard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/littleendian"
)

// An encoded image is, little-endian: magic (4 bytes), version (1), shard (4), the names
// of its databases, head, counts, what it is complete as of, the recent entries, the base
// in its own encoding, and CRC-32C of all before. Names and tokens have their length in
// two bytes before them. Databases are named, as replicas number them as they like; a name
// is empty when nothing of the image is of that database.
const (
	imageMagic   = "ngsh"
	imageVersion = 1
	entrySize    = 16 + 4 + 8 + 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrEncoding refuses bytes that are no image of a version that this release knows.
var ErrEncoding = errors.New("not an image of a shard")

// ErrUnknownDatabase refuses an image that has something of a database that the replica
// does not know, or has not read yet.
var ErrUnknownDatabase = errors.New("image of a shard is of a database that is not known here")

var errTooLarge = errors.New("image has too many databases, or too long a position")

// Encode makes the bytes of a shard's image. names are those of the databases, by number,
// on which all who decode it agree.
// It fails for what the encoding has no room for: more than 255 databases, and texts from
// 64 KiB on.
func (m Image) Encode(shard int, names []string) ([]byte, error) {
	if !m.fits(names) {
		return nil, errTooLarge
	}
	b := append([]byte(imageMagic), imageVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(shard))
	b = append(b, byte(len(names)))
	for _, name := range names {
		b = appendText(b, name)
	}
	b = binary.LittleEndian.AppendUint64(b, m.Head.Epoch)
	b = binary.LittleEndian.AppendUint64(b, m.Head.Build)
	b = append(b, byte(m.Head.Database))
	b = appendPosition(b, m.Head.At)
	b = binary.LittleEndian.AppendUint64(b, m.Names)
	b = binary.LittleEndian.AppendUint64(b, m.Dead)
	b = binary.LittleEndian.AppendUint64(b, m.Epoch)
	b = append(b, byte(m.Database))
	b = appendPosition(b, m.AsOf)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.Recent)))
	for _, e := range m.Recent {
		b = appendEntry(b, e)
	}
	b, err := m.Base.AppendBinary(b)
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

func (m Image) fits(names []string) bool {
	texts := append([]string{m.Head.At.Source, m.Head.At.Token, m.AsOf.Source, m.AsOf.Token}, names...)
	tooLong := func(text string) bool { return len(text) > math.MaxUint16 }
	return len(names) <= math.MaxUint8 && !slices.ContainsFunc(texts, tooLong)
}

func appendText(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(text))), text...)
}

func appendPosition(b []byte, p Position) []byte {
	b = appendText(b, p.Source)
	b = binary.LittleEndian.AppendUint64(b, p.At)
	return appendText(b, p.Token)
}

func appendEntry(b []byte, e Entry) []byte {
	b = binary.LittleEndian.AppendUint64(b, e.Hash.Hi)
	b = binary.LittleEndian.AppendUint64(b, e.Hash.Lo)
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Epoch))
	b = binary.LittleEndian.AppendUint64(b, e.At)
	b = append(b, byte(e.Database))
	if e.Reserved {
		return append(b, 1)
	}
	return append(b, 0)
}

// Decode undoes Encode, and accepts nothing else. number gives a database's number by
// its name; one that it does not know may stand there, but have nothing in the image.
func Decode(b []byte, number func(name string) (int, bool)) (shard int, m Image, err error) {
	if len(b) < 4 {
		return 0, Image{}, ErrEncoding
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return 0, Image{}, ErrEncoding
	}
	r := imageReader{Reader: littleendian.New(body)}
	if string(r.Bytes(4)) != imageMagic || r.Byte() != imageVersion {
		return 0, Image{}, ErrEncoding
	}
	shard = int(r.Uint32())
	r.databases(number)
	m.Head = Head{Epoch: r.Uint64(), Build: r.Uint64(), Database: r.database(), At: r.position()}
	m.Names, m.Dead = r.Uint64(), r.Uint64()
	m.Epoch, m.Database, m.AsOf = r.Uint64(), r.database(), r.position()
	m.Recent = r.entries()
	switch {
	case r.unknown:
		return 0, Image{}, ErrUnknownDatabase
	case r.Failed():
		return 0, Image{}, ErrEncoding
	}
	m.Base = new(bloom.Filter)
	if err := m.Base.UnmarshalBinary(r.Rest()); err != nil {
		return 0, Image{}, errors.Join(ErrEncoding, err)
	}
	return shard, m, nil
}
