package bloomnet

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"namegate/bloomnet/shard"
	"namegate/bloomnet/snapshot"
)

const (
	// saveInterval is how often what a replica knows is written to its files. Its feeds tell
	// it again what has come since.
	saveInterval = 10 * time.Minute
	saveTries    = 3
	// loaders is how many parts are read at once.
	loaders = 2
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

var errForeignFiles = errors.New("files are of another registry or release")

// load takes what the files hold, before anything else is known. Without files that are fit
// to be used a replica begins with nothing.
func (n *Net) load(ctx context.Context) {
	if n.options.Files == nil {
		return
	}
	var positions []shard.Position
	var number func(string) (int, bool)
	images, taking := map[int]shard.Image{}, sync.Mutex{}
	err := n.options.Files.Load(ctx, snapshot.Reader{
		Judge: func(header []byte) (err error) {
			positions, err = n.readHeader(header)
			number = numbering(n.identities(positions))
			return err
		},
		Part: func(part uint32, _, data []byte) error {
			of, m, err := shard.Decode(data, number)
			if err == nil && (of != int(part) || of >= n.options.Shards) {
				err = errForeignFiles
			}
			taking.Lock()
			defer taking.Unlock()
			if err == nil {
				images[of] = m
			}
			return err
		},
		Workers: loaders,
	})
	if err != nil {
		if !errors.Is(err, snapshot.ErrNone) {
			n.log.Warn("the files of the filter are not used", "cause", err)
		}
		return
	}
	n.core.Restore(positions, images)
	n.log.Info("the filter goes on from its files", "shards", len(images))
}

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

// keep saves now and then, and at the end.
func (n *Net) keep(ctx context.Context) {
	for n.pauseFor(ctx, saveInterval) {
		n.save(ctx)
	}
}

// save saves, again when a shard has moved meanwhile.
func (n *Net) save(ctx context.Context) {
	err := errUnvouched
	for tries := 0; tries < saveTries && errors.Is(err, errUnvouched); tries++ {
		err = n.saveOnce(ctx)
	}
	if err != nil && ctx.Err() == nil {
		n.log.Warn("the filter cannot be saved", "cause", err)
	}
}

// saveOnce writes what has changed. The positions are taken first: what is later in an image is
// told again.
func (n *Net) saveOnce(ctx context.Context) error {
	header := fileHeader{Fingerprint: n.options.Fingerprint}
	var parts []snapshot.Part
	n.do(ctx, func(c *shard.Core) {
		positions := c.Positions()
		for i, p := range positions {
			if p == (shard.Position{}) {
				continue
			}
			header.Databases = append(header.Databases, filePosition{n.options.Sources[i].Name(), []byte(p.Source), p.At, p.Token})
			for _, s := range c.Survey(i) {
				if !s.Missing {
					parts = append(parts, n.part(ctx, s, positions))
				}
			}
		}
	})
	if len(parts) == 0 {
		return nil // what was saved before is better
	}
	encoded, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("make header: %w", err)
	}
	return n.options.Files.Save(ctx, encoded, parts)
}

var errUnvouched = errors.New("shard is not vouched for")

// part is the file of a shard. It is written anew when its base has changed, or anything in
// any database since: the positions of the header must not be later than what it has.
func (n *Net) part(ctx context.Context, s shard.Survey, positions []shard.Position) snapshot.Part {
	return snapshot.Part{Number: uint32(s.Shard), Tag: tagOf(s, positions), Encode: func() ([]byte, error) {
		var m shard.Image
		err := errUnvouched
		n.do(ctx, func(c *shard.Core) { m, err = c.Image(s.Shard) })
		if errors.Is(err, shard.ErrForeign) {
			err = errUnvouched
		}
		if err != nil {
			return nil, err
		}
		return n.encode(s.Shard, m, positions)
	}}
}

// tagOf stands for what a replica knows of a shard at some positions.
func tagOf(s shard.Survey, positions []shard.Position) []byte {
	b := binary.LittleEndian.AppendUint64(nil, s.Epoch)
	b = binary.LittleEndian.AppendUint64(b, s.Head.Epoch)
	b = binary.LittleEndian.AppendUint64(b, s.Head.Build)
	for _, p := range positions {
		b = binary.LittleEndian.AppendUint64(append(b, p.Source...), p.At)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}
