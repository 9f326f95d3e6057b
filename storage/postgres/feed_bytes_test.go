package postgres

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// A row of one change, and one of two, as feed_pack of the migrations gives them.
const (
	goldenSingle = "0000000000000007" + "0000000000000309" + "0002fc6b35ac8000" + "00000004" + "54455354" + "00000001" +
		"0000000000000002" + "0003" + "0001" + "0001" + "0002" + "00000001" + "61" + "00000002" + "6d65"
	goldenSeveral = "0000000000000008" + "0000000000000309" + "0002fc6b35ac8000" + "00000004" + "54455354" + "00000002" +
		"00000001" + "00000000" + "00000014" + "00000002" + "00000001" + "00000008" + "0000000000000002" + "00000008" + "0000000000000003" +
		goldenShorts + goldenShorts + goldenShorts + goldenShorts +
		"00000001" + "00000000" + "00000019" + "00000002" + "00000001" + "00000001" + "61" + "00000001" + "62" +
		"00000001" + "00000000" + "00000019" + "00000002" + "00000001" + "00000000" + "00000000"
	goldenShorts = "00000001" + "00000000" + "00000015" + "00000002" + "00000001" + "00000002" + "0001" + "00000002" + "0002"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return b
}

func TestRowsOfTheFeedInBytes(t *testing.T) {
	t.Parallel()
	var r feedRows
	require.NoError(t, r.parse(&parser{rest: unhex(t, goldenSeveral+goldenSingle)}))
	r.sort()
	require.Equal(t, 2, r.rows)
	require.Equal(t, feed.Mark{Xid: 0x309, Began: 0x2fc6b35ac8000}, r.newest)
	require.Len(t, r.events, 3)
	single := r.events[0]
	require.Equal(t, feed.Event{
		ID: 7, Epoch: 2, Vshard: 3, Kind: identifier.Username, Change: feed.Came, State: storage.Active,
		Key: "a", Cause: "TEST", Actor: "me", At: single.At,
	}, single)
	second := r.events[2]
	require.Equal(t, feed.Event{
		ID: 8, Ordinal: 1, Epoch: 3, Vshard: 2, Kind: identifier.Email, Change: 2, State: storage.Active,
		Key: "b", Cause: "TEST", At: single.At,
	}, second)
}

// What is remembered of a poll is not all that it read.
func TestAPollKeepsNoRows(t *testing.T) {
	t.Parallel()
	state := make([]byte, 60)
	answer := append(binary.BigEndian.AppendUint32(nil, uint32(len(state))), state...)
	var p feedPage
	require.Error(t, p.read(feedReader{}, append(answer, make([]byte, 1<<20)...), nil))
	require.Equal(t, state, p.state)
	require.Less(t, cap(p.state), 1<<10)
}

// Whatever bytes come, they are read or refused.
func FuzzRowsOfTheFeed(f *testing.F) {
	f.Add(unhex(f, goldenSingle))
	f.Add(unhex(f, goldenSeveral))
	f.Add(unhex(f, goldenSeveral[:40]))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r feedRows
		if r.parse(&parser{rest: b}) == nil {
			require.LessOrEqual(t, len(r.events), len(b))
			r.sort()
		}
		var h feedHead
		p := &parser{rest: b}
		if h.parse(p) == nil && h.parseEnd(p) == nil {
			_, _ = parseOwned(p)
		}
	})
}

// goldenCopy is what COPY sends of two rows.
const goldenCopy = "5047434f50590aff0d0a00" + "0000000000000000" +
	"0003" + "00000002" + "0003" + "00000002" + "0001" + "00000001" + "61" +
	"0003" + "00000002" + "0004" + "00000002" + "0002" + "00000003" + "622e63" +
	"ffff"

// However the bytes are cut, the rows are the same.
func FuzzRowsOfACopy(f *testing.F) {
	golden := unhex(f, goldenCopy)
	f.Add(golden, 1)
	f.Add(golden, 20)
	f.Add(golden[:len(golden)-2], 7)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		at := min(max(cut, 0), len(b))
		whole, wholeErr := copyOf(b)
		parts, partsErr := copyOf(b[:at], b[at:])
		require.Equal(t, wholeErr == nil, partsErr == nil)
		if wholeErr == nil {
			require.Equal(t, whole, parts)
		}
		if bytes.Equal(b, golden) {
			require.Equal(t, []feed.Row{{Vshard: 3, State: storage.Reserved, Key: "a"}, {Vshard: 4, State: storage.Active, Key: "b.c"}}, whole)
		}
	})
}

// copyOf gives the rows of parts, after each of which a page ends.
func copyOf(parts ...[]byte) (rows []feed.Row, err error) {
	c := &copyRows{page: func(page []feed.Row) error { rows = append(rows, page...); return nil }}
	for _, part := range parts {
		if _, err := c.Write(part); err != nil {
			return rows, err
		}
		if len(c.buffer) >= len(copyHeader) {
			if err := c.give(); err != nil {
				return rows, err
			}
		}
	}
	return rows, c.end()
}
