package littleendian_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/littleendian"
)

// encoding has one thing of each kind.
const encoding = "\x01" + "\x02\x01" + "\x03\x02\x01\x00" + "\x04\x03\x02\x01\x00\x00\x00\x80" + "\x05\x00\x00\x00" + "\x02ab" + "cd"

// readAll reads what encoding has.
func readAll(r *littleendian.Reader) []any {
	return []any{r.Byte(), r.Uint16(), r.Uint32(), r.Uint64(), r.Count(5), string(r.Text(2)), string(r.Bytes(2))}
}

func TestNumbersAreLittleEndian(t *testing.T) {
	t.Parallel()
	r := littleendian.New([]byte(encoding))
	require.False(t, r.Ended())
	want := []any{byte(1), uint16(0x0102), uint32(0x010203), uint64(0x8000000001020304), 5, "ab", "cd"}
	require.Equal(t, want, readAll(&r))
	require.True(t, r.Ended())
}

// Wherever the bytes end, all that was whole before is read, and nothing after it.
func TestWhatIsNotThereIsNotRead(t *testing.T) {
	t.Parallel()
	for n := range len(encoding) {
		r := littleendian.New([]byte(encoding)[:n])
		readAll(&r)
		requireFailed(t, r)
	}
}

// requireFailed says that nothing comes after a failure, not even nothing.
func requireFailed(t *testing.T, r littleendian.Reader) {
	t.Helper()
	require.True(t, r.Failed())
	require.False(t, r.Ended())
	require.Empty(t, r.Rest())
	require.Nil(t, r.Bytes(0))
	require.Equal(t, []any{byte(0), uint16(0), uint32(0), uint64(0), 0, "", ""}, readAll(&r))
}

func TestWhatIsNotAsRequiredIsAFailure(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*littleendian.Reader){
		"a count above the most":      func(r *littleendian.Reader) { r.Count(0x04030201) },
		"a count where none can be":   func(r *littleendian.Reader) { r.Count(-1) },
		"a text above the most":       func(r *littleendian.Reader) { r.Text(1) },
		"a text longer than the rest": func(r *littleendian.Reader) { r.Bytes(4); r.Text(255) },
		"more bytes than there are":   func(r *littleendian.Reader) { r.Bytes(10) },
		"fewer bytes than none":       func(r *littleendian.Reader) { r.Bytes(-1) },
		"what the caller refuses":     func(r *littleendian.Reader) { r.Require(false); r.Require(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := littleendian.New([]byte{2, 2, 3, 4, 9, 6, 7, 8, 9})
			read(&r)
			requireFailed(t, r)
		})
	}
}

func TestNothingIsThereAndRead(t *testing.T) {
	t.Parallel()
	r := littleendian.New([]byte{0, 7})
	require.NotNil(t, r.Text(0))
	require.NotNil(t, r.Bytes(0))
	require.Equal(t, []byte{7}, r.Rest())
	require.False(t, r.Failed())
	require.False(t, r.Ended())
}

// Who appends to what was read does not write over what follows.
func TestTheEncodingStaysAsItIs(t *testing.T) {
	t.Parallel()
	b := []byte{1, 2, 3}
	r := littleendian.New(b)
	_ = append(r.Bytes(1), 9)
	require.Equal(t, []byte{1, 2, 3}, b)
}

func TestAppendText(t *testing.T) {
	t.Parallel()
	b := littleendian.AppendText([]byte("x"), "ab")
	b = littleendian.AppendText(b, []byte{})
	require.Equal(t, "x\x02ab\x00", string(b))
}
