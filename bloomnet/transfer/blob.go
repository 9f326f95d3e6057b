package transfer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"namegate/bloomnet/transfer/wire"
)

// MaxBlob is the most bytes that a blob may have.
const MaxBlob = 64 << 20

// Blob is bytes that nobody may change, and the tag that stands for them: blobs of equal
// number and tag have equal bytes, wherever they are. A tag has at most wire.MaxTag bytes.
type Blob struct {
	Tag, Data []byte
}

func (b Blob) validate() error {
	if len(b.Tag) > wire.MaxTag || len(b.Data) > MaxBlob {
		return fmt.Errorf("blob of %d bytes with a tag of %d is too long", len(b.Data), len(b.Tag))
	}
	return nil
}

var (
	// ErrNotHeld says that a holder has no blob of the number.
	ErrNotHeld = errors.New("blob is not held")
	// ErrNotNewer says that a holder's blob is no newer than what the client has.
	ErrNotNewer = errors.New("blob is not newer")
	// ErrUntrusted says that a peer did not prove that it knows a secret of the cluster,
	// or does not trust that this side does.
	ErrUntrusted = errors.New("peer has no key of this cluster")
	// ErrDamaged says that a peer sent what no peer sends.
	ErrDamaged = wire.ErrDamaged
	// ErrClosed says that the Puller is closed.
	ErrClosed = errors.New("puller is closed")
)

// BusyError says that a server would send nothing more at the time.
type BusyError struct {
	RetryAfter time.Duration // at most a Puller's longest pause
}

func (e *BusyError) Error() string { return fmt.Sprintf("peer is busy for %v", e.RetryAfter) }

// PullError says why no peer gave a blob.
type PullError struct {
	Number  uint32
	Reasons map[string]error // by the peers' addresses
}

func (e *PullError) Error() string {
	text := fmt.Sprintf("pull blob %d from %d peers", e.Number, len(e.Reasons))
	for _, address := range slices.Sorted(maps.Keys(e.Reasons)) {
		text += fmt.Sprintf("\n%s: %v", address, e.Reasons[address])
	}
	return text
}

// Unwrap gives all reasons.
func (e *PullError) Unwrap() []error { return slices.Collect(maps.Values(e.Reasons)) }

// MismatchError says that a peer belongs to another group of replicas.
type MismatchError struct {
	Version     uint16 // wire version of the peer
	Fingerprint []byte // of the peer; nil when its version differs
	Replica     string // id of the peer; "" when its version differs
}

func (e *MismatchError) Error() string {
	if e.Version != wire.Version {
		return fmt.Sprintf("peer speaks wire version %d, not %d", e.Version, wire.Version)
	}
	return fmt.Sprintf("peer %q has the foreign fingerprint %x", e.Replica, e.Fingerprint)
}
