package shard_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

var databases = []string{"a", "bb"}

func numbered(name string) (int, bool) {
	n := slices.Index(databases, name)
	return n, n >= 0
}

// swapped is what another replica has for numbers.
func swapped(name string) (int, bool) {
	n, known := numbered(name)
	return 1 - n, known
}

func encodable() shard.Image {
	base := bloom.New(1)
	base.Add(bloom.Hash{Hi: 5, Lo: 6})
	at := func(source string, at uint64) shard.Position {
		return shard.Position{Source: source, At: at, Token: "t"}
	}
	return shard.Image{
		Head: shard.Head{Epoch: 3, Build: 4, Database: 1, At: at("s1", 300)}, Base: base, Names: 7, Dead: 2,
		Recent: []shard.Entry{
			{Hash: bloom.Hash{Hi: 1, Lo: 2}, Epoch: 3, Database: 1, At: 301, Reserved: true},
			{Hash: bloom.Hash{Hi: 3, Lo: 4}, Epoch: 4, Database: 0, At: 400},
		},
		Epoch: 4, Database: 0, AsOf: at("s0", 410),
	}
}

// Files and peers have images of other releases.
const goldenImage = "6e677368" + "01" + "02030000" + "02" + "0100" + "61" + "0200" + "6262" + // shard 770; databases
	"0300000000000000" + "0400000000000000" + "01" + "0200" + "7331" + "2c01000000000000" + "0100" + "74" + // head
	"0700000000000000" + "0200000000000000" + // names, dead
	"0400000000000000" + "00" + "0200" + "7330" + "9a01000000000000" + "0100" + "74" + // as of
	"02000000" + // recent
	"0100000000000000" + "0200000000000000" + "03000000" + "2d01000000000000" + "01" + "01" +
	"0300000000000000" + "0400000000000000" + "04000000" + "9001000000000000" + "00" + "00"

func TestImagesAreReadForEver(t *testing.T) {
	t.Parallel()
	b, err := encodable().Encode(770, databases)
	require.NoError(t, err)
	base, err := encodable().Base.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, goldenImage+hex.EncodeToString(base), hex.EncodeToString(b[:len(b)-4]))
	number, m, err := shard.Decode(b, numbered)
	require.NoError(t, err)
	require.Equal(t, 770, number)
	require.Equal(t, encodable(), m)
}

func TestDatabasesAreNumberedAsTheReaderLikes(t *testing.T) {
	t.Parallel()
	b, err := encodable().Encode(0, databases)
	require.NoError(t, err)
	_, m, err := shard.Decode(b, swapped)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0, 1}, []int{m.Head.Database, m.Database, m.Recent[0].Database, m.Recent[1].Database})
}

// Replicas need not have read the same databases: only those that have a part in an image
// must be known.
func TestDatabasesWithoutAPartNeedNotBeKnown(t *testing.T) {
	t.Parallel()
	m := encodable()
	b, err := m.Encode(0, []string{"a", "bb", "", "", "c"})
	require.NoError(t, err)
	got, err := decode(b)
	require.NoError(t, err)
	require.Equal(t, m, got)
	for _, names := range [][]string{{"a", "b"}, {"", "bb"}} {
		b, err = m.Encode(0, names)
		require.NoError(t, err)
		require.ErrorIs(t, second(decode(b)), shard.ErrUnknownDatabase)
	}
}

// summed is bytes with their right checksum.
func summed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(b), crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestDamagedImagesAreRefused(t *testing.T) {
	t.Parallel()
	whole, err := encodable().Encode(770, databases)
	require.NoError(t, err)
	body := whole[:len(whole)-4]
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 1
		require.ErrorIs(t, second(decode(damaged)), shard.ErrEncoding, "byte %d", i)
		require.ErrorIs(t, second(decode(whole[:i])), shard.ErrEncoding, "%d bytes", i)
	}
	for i := range body {
		require.ErrorIs(t, second(decode(summed(body[:i]))), shard.ErrEncoding, "%d bytes", i)
	}
	recent := len(goldenImage)/2 - 2*30
	for name, change := range map[string]func([]byte){
		"another version":    func(b []byte) { b[4]++ },
		"one name twice":     func(b []byte) { copy(b[9:], "\x03\x01\x00a\x01\x00a") },
		"a database too far": func(b []byte) { b[recent+28] = 2 },
		"unknown flags":      func(b []byte) { b[recent+29] = 2 },
	} {
		changed := slices.Clone(body)
		change(changed)
		require.ErrorIs(t, second(decode(summed(changed))), shard.ErrEncoding, name)
	}
}

func decode(b []byte) (shard.Image, error) {
	_, m, err := shard.Decode(b, numbered)
	return m, err
}

// It runs by itself, as the memory of all tests is counted.
func TestCountsAreNotBelieved(t *testing.T) { //nolint:paralleltest // see above
	whole, err := encodable().Encode(770, databases)
	require.NoError(t, err)
	lying := slices.Clone(whole[:len(whole)-4])
	binary.LittleEndian.PutUint32(lying[len(goldenImage)/2-2*30-4:], 1<<31)
	lying = summed(lying)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.ErrorIs(t, second(decode(lying)), shard.ErrEncoding)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestWhatHasNoRoomIsNotEncoded(t *testing.T) {
	t.Parallel()
	_, err := encodable().Encode(0, make([]string, 256))
	require.Error(t, err)
	m := encodable()
	m.AsOf.Token = strings.Repeat("x", 1<<16)
	_, err = m.Encode(0, databases)
	require.Error(t, err)
}

// What can be read is written again and reads the same. Each input is tried as it is, and
// with the checksum that it should have.
func FuzzDecode(f *testing.F) {
	b, err := encodable().Encode(770, databases)
	require.NoError(f, err)
	f.Add(b)
	f.Add(b[:len(b)-4])
	f.Add([]byte("ngsh\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, summed(b)} {
			number, m, err := shard.Decode(b, numbered)
			if err != nil {
				require.True(t, errors.Is(err, shard.ErrEncoding) || errors.Is(err, shard.ErrUnknownDatabase), err)
				continue
			}
			again, err := m.Encode(number, databases)
			require.NoError(t, err)
			number2, m2, err := shard.Decode(again, numbered)
			require.NoError(t, err)
			require.Equal(t, number, number2)
			require.Equal(t, m, m2)
		}
	})
}
