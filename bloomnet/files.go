package bloomnet

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
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

// load takes what the files hold, before anything else is known. Without files that are fit
// to be used a replica begins with nothing. It fails when ctx ends first: the files stay.
func (n *Net) load(ctx context.Context) error {
	if n.options.Files == nil {
		return nil
	}
	var positions []shard.Position
	var number func(string) (int, bool)
	var cause error // of a part that was refused
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
			} else {
				cause = err
			}
			return err
		},
		Workers: loaders,
	})
	if ended := context.Cause(ctx); ended != nil {
		return fmt.Errorf("read the files of the filter: %w", ended)
	}
	n.tellAside(err, cause)
	if err != nil {
		return nil // told
	}
	n.core.Restore(positions, images)
	if len(images) > 0 {
		n.log.Info("the filter goes on from its files", "shards", len(images))
	}
	return nil
}

// tellAside says what was not fit to be used, and why: err is of all files, cause of one.
func (n *Net) tellAside(err, cause error) {
	counts := &n.options.Files.Counters
	damaged, foreign := counts.Damaged.Load(), counts.Foreign.Load()
	switch {
	case damaged+foreign > 0:
		if cause == nil {
			cause = err
		}
		if cause == nil || damaged > 0 {
			cause = errors.Join(errDamagedFiles, cause)
		}
		n.log.Warn("files of the filter were set aside; their shards are pulled or built", "damaged", damaged, "foreign", foreign, "cause", cause)
	case err != nil && !errors.Is(err, snapshot.ErrNone):
		n.log.Warn("the files of the filter are not used", "cause", err)
	}
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
