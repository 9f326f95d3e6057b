package hotname_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/identifier"
)

// looksLike is a name whose canonical form is not its key.
func looksLike(key, canonical string, version int64) storage.Standing {
	s := blocked(until(key, version, time.Hour))
	s.Held.Identifier = identifier.Stored(identifier.Username, key, canonical, "")
	s.Held.State = storage.Protected
	return s
}

// The bytes of every release of this format are these.
func TestMessagesAreTheseBytes(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	for want, got := range map[string][]byte{
		"010000" + "0000000000000001" + "00000000000000ff" + "03" + "616461":                                                                     hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 255}),
		"010200" + "0000000000000001" + "0000000000000007" + "03" + "616461" + "0000c350" + "0006ba2d4473d346" + "0000000000000000":              l.Encode(held("ada", 7), 50*time.Second),
		"010301" + "0000000000000001" + "0000000000000007" + "03" + "616461" + "0000c350" + "0006ba2d4473d346" + "0006ba2e1b077746" + "c3a06461": l.Encode(looksLike("ada", "àda", 7), 50*time.Second),
	} {
		require.Equal(t, want, hex.EncodeToString(got))
	}
}

// What is told is what is heard, with the allowance for the way taken off.
func TestAMessageSaysAll(t *testing.T) {
	t.Parallel()
	nobodys := blocked(held("ada", 7))
	nobodys.Held.State = storage.Released
	for title, s := range map[string]storage.Standing{
		"active": held("ada", 7), "reserved": until("ada", 1<<62, time.Minute), "confusable": looksLike("ada", "àda", 9),
		"blocked, and nobody's": nobodys,
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			a, b := newFixed(t, options()), newFixed(t, options())
			a.read("ada", s)
			require.Len(t, a.Told(), 1)
			a.pass(10 * time.Second)
			told := a.Told()
			require.Len(t, told, 1)
			b.Receive(told[0])
			got, ok := b.Get(name("ada"))
			require.True(t, ok)
			require.Equal(t, s, got)
			b.pass(50*time.Second - hotname.Travel - 1)
			require.True(t, b.has("ada"))
			b.pass(1)
			require.False(t, b.has("ada"))
			require.EqualValues(t, 1, b.Counters.Received.Load())
		})
	}
}

// The longest message fits one packet.
func TestMessagesAreSmall(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	key, canonical := strings.Repeat("k", 255), strings.Repeat("c", 255)
	l.read(key, looksLike(key, canonical, 1))
	require.Len(t, l.Told(), 1)
	require.LessOrEqual(t, len(l.Encode(looksLike(key, canonical, 1), time.Second)), hotname.MaxPayload)
	require.Less(t, hotname.MaxPayload, 600)
	for _, s := range []storage.Standing{looksLike(key+"k", canonical, 1), looksLike(key, canonical+"c", 1)} {
		l.read(s.Held.Identifier.Key(), s)
		require.Empty(t, l.Told(), "too long to tell")
	}
	l.read("ada", until("ada", 1, hotname.Travel))
	require.Empty(t, l.Told(), "it would be over on its arrival")
}

// with is a message in which some bytes are others.
func with(message []byte, at int, bytes ...byte) []byte {
	changed := slices.Clone(message)
	copy(changed[at:], bytes)
	return changed
}

// What no replica of this release makes is refused, counted, and changes nothing.
func TestForeignMessagesAreRefused(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	entry, similar := l.message(held("ada", 7)), l.message(looksLike("ada", "àda", 7))
	release := hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 255})
	none := slices.Concat(release[:len(release)-3], nil)
	none[19] = 0
	for title, message := range map[string][]byte{
		"nothing":                     {},
		"another format":              with(entry, 0, 2),
		"no such state":               with(entry, 1, 5),
		"released but not blocked":    with(entry, 1, 4),
		"neither blocked nor not":     with(entry, 2, 2),
		"a release that is blocked":   with(release, 2, 1),
		"a negative epoch":            with(entry, 3, 0x80),
		"a negative ID":               with(entry, 11, 0x80),
		"no ID":                       with(entry, 18, 0),
		"no key":                      none,
		"a key longer than all":       with(release, 19, 4),
		"a key that is no text":       with(release, 20, 0xff),
		"a release with more":         append(slices.Clone(release), 0),
		"an entry with less":          entry[:len(entry)-1],
		"an entry of a byte":          entry[:24],
		"no life":                     with(entry, 23, 0, 0, 0, 0),
		"too much life":               with(entry, 23, 0, 0, 0xea, 0x61),
		"a canonical form of no text": with(similar, len(similar)-1, 0xff),
		"the same canonical form":     append(slices.Clone(entry), "ada"...),
		"too long a canonical form":   append(slices.Clone(entry), strings.Repeat("a", 256)...),
		"longer than any":             bytes.Repeat(entry, 20),
	} {
		before := l.Counters.Refused.Load()
		l.Receive(message)
		require.Equal(t, before+1, l.Counters.Refused.Load(), title)
		require.Zero(t, l.Len()+l.Remembered(), title)
	}
	l.Receive(with(entry, 23, 0, 0, 0xea, 0x60))
	require.Equal(t, 1, l.Len(), "a minute is not too much")
}

// Whatever is accepted is what a replica would make, byte for byte.
func FuzzDecode(f *testing.F) {
	l := newFixed(f, options())
	f.Add(l.Encode(held("ada", 7), 50*time.Second))
	f.Add(l.Encode(until("ada", 7, time.Second), time.Second))
	f.Add(l.Encode(looksLike("ada", "àda", 7), time.Millisecond))
	f.Add(hotname.EncodeRelease("ada", storage.Version{Epoch: 1, ID: 255}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		key, s, left, err := hotname.Decode(b)
		if err != nil {
			return
		}
		if s.Held == nil {
			require.Equal(t, b, hotname.EncodeRelease(key, s.Version))
			return
		}
		require.Equal(t, key, s.Held.Identifier.Key())
		require.LessOrEqual(t, left, hotname.MaxLife)
		require.Equal(t, b, l.Encode(s, left))
	})
}
