package wire

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// Kind says what a frame holds.
type Kind byte

// The kinds of frames.
const (
	KindHello Kind = iota + 1
	KindRequest
	KindHead
	KindData
	KindEnd
	KindNotHeld
	KindNotNewer
	KindBusy
)

const (
	// MaxData is the longest payload, in bytes.
	MaxData = 256 << 10
	// MaxMessage is more than any payload has but that of a Data frame.
	MaxMessage = 256

	headerSize = 1 + 4 + 4
	summedSize = 1 + 4 // what of the header the checksum is of
)

// ErrDamaged says that bytes are not what a peer of this version sends.
var ErrDamaged = errors.New("damaged frame")

// SumSize is how long the sum of a blob is, in bytes.
const SumSize = crc32.Size

// NewSum begins the sum of a blob, that of an End frame.
func NewSum() hash.Hash { return crc32.New(castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write sends a frame. Data go out from where they are; only what is short is copied, to
// be one write.
func Write(w io.Writer, kind Kind, payload []byte) error {
	frame := make([]byte, headerSize, headerSize+MaxMessage)
	frame[0] = byte(kind)
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(frame[summedSize:], checksum(frame, payload))
	if len(payload) <= MaxMessage {
		_, err := w.Write(append(frame, payload...))
		return err
	}
	if _, err := w.Write(frame); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// Read gets a frame, with its payload in buffer, which is as long as the payload may be:
// a longer one is ErrDamaged, whatever follows. It is io.EOF when there is no frame, and
// io.ErrUnexpectedEOF when there is a part of one.
func Read(r io.Reader, buffer []byte) (Kind, []byte, error) {
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, nil, err
	}
	length := binary.LittleEndian.Uint32(header[1:])
	if uint64(length) > uint64(len(buffer)) {
		return 0, nil, ErrDamaged
	}
	payload := buffer[:length]
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, noEOF(err)
	}
	if checksum(header, payload) != binary.LittleEndian.Uint32(header[summedSize:]) {
		return 0, nil, ErrDamaged
	}
	return Kind(header[0]), payload, nil
}

func checksum(header, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:summedSize], castagnoli), castagnoli, payload)
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
