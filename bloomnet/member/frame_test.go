package member_test

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

var message = member.Envelope{
	Version: 3, Plane: byte(member.Bulk), Kind: 9, Fingerprint: fingerprint,
	Origin: member.Origin{Replica: "gw-1", Boot: 0x1122334455667788}, Sequence: 258,
	Key: []byte("k"), Payload: []byte("payload"),
}

const goldenMessage = "6e6d" + "03" + "03" + "09" + "0102030405060708" + "8877665544332211" +
	"0201000000000000" + "0467772d31" + "016b" + "7061796c6f6164"

func TestMessageGolden(t *testing.T) {
	t.Parallel()
	b := message.Encode()
	require.Equal(t, goldenMessage+"30469151", hex.EncodeToString(b))
	parsed, ok := member.Parse(b, 3)
	require.True(t, ok)
	require.Equal(t, message, parsed)
	_, ok = member.Parse(b, 4)
	require.False(t, ok)
}

func TestTheLargestMessageFitsAPacket(t *testing.T) {
	t.Parallel()
	largest := message
	largest.Origin.Replica = string(bytes.Repeat([]byte("r"), 32))
	largest.Key = make([]byte, 32)
	largest.Payload = make([]byte, member.MaxPayload)
	require.Len(t, largest.Encode(), member.MaxFrame)
	// 1,400 bytes less compound header and part, user message, label, encryption.
	require.LessOrEqual(t, member.MaxFrame, 1400-2-2-1-(2+64)-29)
}

func FuzzMessage(f *testing.F) {
	f.Add(message.Encode())
	f.Add(append(message.Encode(), 0))
	f.Add([]byte("nm\x03"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, ok := member.Parse(b, 3)
		if !ok {
			return
		}
		require.Equal(t, b, m.Encode())
	})
}

var someone = member.Member{
	Origin:  member.Origin{Replica: "gw-1", Boot: 0x1122334455667788},
	Version: 3, Fingerprint: fingerprint, State: member.Ready,
	Transfer: netip.MustParseAddrPort("10.1.2.3:7947"),
}

const (
	goldenPrefix = "6e6d" + "03" + "0102030405060708" + "8877665544332211" + "0467772d31"
	goldenRest   = "02" + "06" + "0a010203" + "0b1f"
)

func TestMetaGolden(t *testing.T) {
	t.Parallel()
	b := member.EncodeMeta(someone)
	require.Equal(t, goldenPrefix+goldenRest, hex.EncodeToString(b))
	decoded, err := member.DecodeMeta(b, 3)
	require.NoError(t, err)
	require.Equal(t, someone, decoded)

	other, err := member.DecodeMeta(b[:len(goldenPrefix)/2], 4)
	require.NoError(t, err, "of another version only the beginning is known")
	require.Equal(t, member.Member{Origin: someone.Origin, Version: 3, Fingerprint: fingerprint}, other)

	six := someone
	six.Transfer = netip.MustParseAddrPort("[2001:db8::1]:1")
	decoded, err = member.DecodeMeta(member.EncodeMeta(six), 3)
	require.NoError(t, err)
	require.Equal(t, six, decoded)
}

func TestMetaIsShort(t *testing.T) {
	t.Parallel()
	longest := someone
	longest.Replica = string(bytes.Repeat([]byte("r"), 32))
	longest.Transfer = netip.MustParseAddrPort("[2001:db8::1]:1")
	require.Less(t, len(member.EncodeMeta(longest)), 128, "memberlist panics above 512")
}

func FuzzMeta(f *testing.F) {
	f.Add(member.EncodeMeta(someone))
	f.Add(append(member.EncodeMeta(someone), 0))
	f.Add(append(member.EncodeMeta(someone)[:len(goldenPrefix)/2], "\x02\x12\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x7f\x00\x00\x01\x01\x01"...))
	f.Add([]byte("nm\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := member.DecodeMeta(b, 3)
		if err != nil || m.Version != 3 {
			return
		}
		require.Equal(t, b, member.EncodeMeta(m))
	})
}
