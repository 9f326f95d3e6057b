package wire_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer/wire"
)

// Replicas of several releases talk to each other.
var golden = map[string]struct {
	kind    wire.Kind
	payload []byte
	frame   string
}{
	"hello": {
		wire.KindHello,
		wire.Hello{Version: 1, Fingerprint: []byte("12345678"), Replica: "r1"}.Append(nil),
		"01" + "12000000" + "4eba9b5c" + "626e7472" + "0100" + "083132333435363738" + "027231",
	},
	"request": {
		wire.KindRequest,
		wire.Request{Number: 1023, Offset: 262144, Have: []byte{1}, Resume: []byte{2, 3}}.Append(nil),
		"02" + "0d000000" + "0b54506e" + "ff030000" + "00000400" + "0101" + "020203",
	},
	"head": {
		wire.KindHead,
		wire.Head{Length: 2097152, Offset: 262144, Tag: []byte{2, 3}}.Append(nil),
		"03" + "0b000000" + "188670ba" + "00002000" + "00000400" + "020203",
	},
	"data":      {wire.KindData, []byte{9, 8}, "04" + "02000000" + "7f0c3dc1" + "0908"},
	"end":       {wire.KindEnd, bytes.Repeat([]byte{7}, 4), "05" + "04000000" + "b88f5e73" + strings.Repeat("07", 4)},
	"not held":  {wire.KindNotHeld, nil, "06" + "00000000" + "dd1715d5"},
	"not newer": {wire.KindNotNewer, nil, "07" + "00000000" + "717804ed"},
	"busy":      {wire.KindBusy, wire.AppendBusy(nil, 250*time.Millisecond), "08" + "04000000" + "506befac" + "fa000000"},
}

func TestFramesAreReadForEver(t *testing.T) {
	t.Parallel()
	for name, g := range golden {
		var out bytes.Buffer
		require.NoError(t, wire.Write(&out, g.kind, g.payload))
		require.Equal(t, g.frame, hex.EncodeToString(out.Bytes()), name)
		kind, payload, err := wire.Read(&out, make([]byte, wire.MaxMessage))
		require.NoError(t, err, name)
		require.Equal(t, g.kind, kind)
		require.Equal(t, string(g.payload), string(payload))
	}
}

func TestLongFrames(t *testing.T) {
	t.Parallel()
	for _, n := range []int{wire.MaxMessage, wire.MaxMessage + 1, wire.MaxData} {
		var out bytes.Buffer
		sent := bytes.Repeat([]byte{5}, n)
		require.NoError(t, wire.Write(&out, wire.KindData, sent))
		buffer := make([]byte, n)
		_, payload, err := wire.Read(&out, buffer)
		require.NoError(t, err)
		require.Equal(t, sent, payload)
		require.Same(t, &buffer[0], &payload[0], "read to where the caller wants it")
	}
}

// Every bit of a frame is under the checksum, or is the checksum.
func TestAFlippedBitIsDamage(t *testing.T) {
	t.Parallel()
	frame, err := hex.DecodeString(golden["head"].frame)
	require.NoError(t, err)
	for bit := range len(frame) * 8 {
		damaged := bytes.Clone(frame)
		damaged[bit/8] ^= 1 << (bit % 8)
		// Zeros after it, as a longer length would wait for more.
		_, _, err := wire.Read(io.MultiReader(bytes.NewReader(damaged), bytes.NewReader(make([]byte, wire.MaxMessage))), make([]byte, wire.MaxMessage))
		require.ErrorIs(t, err, wire.ErrDamaged, "bit %d", bit)
	}
}

func TestFramesThatEndEarly(t *testing.T) {
	t.Parallel()
	frame, err := hex.DecodeString(golden["head"].frame)
	require.NoError(t, err)
	for n := range len(frame) {
		_, _, err := wire.Read(bytes.NewReader(frame[:n]), make([]byte, wire.MaxMessage))
		if n == 0 {
			require.ErrorIs(t, err, io.EOF)
		} else {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	}
}

// A length is not believed: what does not fit is not read.
func TestALyingLength(t *testing.T) {
	t.Parallel()
	frame := []byte{byte(wire.KindData), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1}
	in := bytes.NewReader(frame)
	_, _, err := wire.Read(in, make([]byte, wire.MaxData))
	require.ErrorIs(t, err, wire.ErrDamaged)
	require.Equal(t, 1, in.Len())
}

// Whatever another version says after its number is its own business.
func TestHelloOfAnotherVersion(t *testing.T) {
	t.Parallel()
	h, err := wire.ParseHello([]byte("bntr\x02\x01 what comes later"))
	require.NoError(t, err)
	require.Equal(t, wire.Hello{Version: 258}, h)
}

func TestBadMessagesAreRefused(t *testing.T) {
	t.Parallel()
	hello := func(fingerprint, replica int) string {
		return string(wire.Hello{Version: 1, Fingerprint: make([]byte, fingerprint), Replica: strings.Repeat("r", replica)}.Append(nil))
	}
	for _, b := range []string{
		"", "bntr", "bntr\x01", "rtnb\x01\x00", hello(7, 1), hello(33, 1), hello(8, 0), hello(8, 65), hello(8, 1) + "x",
	} {
		_, err := wire.ParseHello([]byte(b))
		require.ErrorIs(t, err, wire.ErrDamaged, "%q", b)
	}
	request := string(golden["request"].payload)
	for _, b := range []string{"", request[:len(request)-1], request + "x", string(wire.Request{Have: make([]byte, 65)}.Append(nil))} {
		_, err := wire.ParseRequest([]byte(b))
		require.ErrorIs(t, err, wire.ErrDamaged, "%q", b)
	}
	head := string(golden["head"].payload)
	for _, b := range []string{"", head[:len(head)-1], head + "x", string(wire.Head{Length: 1, Offset: 2}.Append(nil))} {
		_, err := wire.ParseHead([]byte(b))
		require.ErrorIs(t, err, wire.ErrDamaged, "%q", b)
	}
	for _, b := range []string{"", "123", "12345"} {
		_, err := wire.ParseBusy([]byte(b))
		require.ErrorIs(t, err, wire.ErrDamaged, "%q", b)
	}
}
