package bloomnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"namegate/bloomnet/shard"
)

// fileHeader is what belongs to all parts of a snapshot: what makes them fit, and from where
// to go on reading.
type fileHeader struct {
	Fingerprint [8]byte
	Databases   []filePosition
}

// filePosition is a position in the feed of a database.
type filePosition struct {
	Name   string
	Source []byte
	At     uint64
	Token  string
}

var (
	errForeignFiles = errors.New("files are of another registry or release")
	errDamagedFiles = errors.New("files are missing, or not as they were written")
)

// readHeader gives the positions of the databases that this replica has. They are found by
// name, as none has answered yet; under a name that is another's by now they are void, as
// all that is of them.
func (n *Net) readHeader(encoded []byte) ([]shard.Position, error) {
	var header fileHeader
	if err := json.Unmarshal(encoded, &header); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	if header.Fingerprint != n.options.Fingerprint {
		return nil, errForeignFiles
	}
	positions := make([]shard.Position, len(n.options.Sources))
	for _, p := range header.Databases {
		number := slices.IndexFunc(n.options.Sources, func(s Source) bool { return s.Name() == p.Name })
		if number >= 0 {
			positions[number] = shard.Position{Source: string(p.Source), At: p.At, Token: p.Token}
		}
	}
	return positions, nil
}
