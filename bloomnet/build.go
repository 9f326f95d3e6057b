package bloomnet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

const (
	// buildInterval is how often an owner looks for what is to be built.
	buildInterval = time.Second
	// buildShards is how many shards one copy of a table is for: a copy keeps the
	// database from cleaning up for as long as it lasts.
	buildShards = 32
	// minNames is how many names, at least, may be recent or dead before a base is made
	// anew, as small shards would be built all the time.
	minNames = 256
)

// build does the owner's work for the shards of a database until the Net is closed.
func (n *Net) build(ctx context.Context, database int) {
	told := false
	for n.pauseFor(ctx, buildInterval) {
		err := n.buildDue(ctx, database)
		if err != nil && !told && ctx.Err() == nil {
			n.log.Warn("bases cannot be built", "database", n.options.Sources[database].Name(), "cause", err)
		}
		told = err != nil
	}
}

// buildDue folds what is to be folded, and builds what is missing or worn out.
func (n *Net) buildDue(ctx context.Context, database int) error {
	var surveys []shard.Survey
	n.do(ctx, func(c *shard.Core) { surveys = c.Survey(database) })
	var folds, builds []int
	owns, mends := n.ownership(), n.mending()
	for _, s := range surveys {
		switch {
		case s.Missing && !mends(s.Shard), !s.Missing && !owns(s.Shard):
		case s.Missing, wornOut(s):
			builds = append(builds, s.Shard)
		case s.Lasting > max(s.Names/100, minNames):
			folds = append(folds, s.Shard)
		}
	}
	if err := n.fold(ctx, database, folds); err != nil {
		return err
	}
	return n.Rebuild(ctx, database, builds)
}

// wornOut says that too many names of a base are dead, or that it is to hold more than it
// was made for.
func wornOut(s shard.Survey) bool {
	return s.Dead > max(s.Names/20, minNames) || s.Names+s.Lasting > s.Capacity
}

// fold makes bases of the last ones and the recent names.
func (n *Net) fold(ctx context.Context, database int, shards []int) error {
	if len(shards) == 0 {
		return nil
	}
	builds, err := n.options.Sources[database].NextBuilds(ctx, shards)
	if err != nil {
		return fmt.Errorf("number builds of %d shards: %w", len(shards), err)
	}
	for number, build := range builds {
		var m shard.Image
		err := errUnvouched
		n.do(ctx, func(c *shard.Core) { m, err = c.Image(number) })
		if err == nil && m.Epoch == build.Epoch { // else it has moved
			n.install(ctx, number, m.Fold(build.Number))
			n.stats.Folded.Add(1)
		}
	}
	return nil
}

// install hands the core an image. One that it refuses came too early or late, or is of
// another stay of the shard, and is made anew in time.
func (n *Net) install(ctx context.Context, number int, m shard.Image) {
	var err error
	n.do(ctx, func(c *shard.Core) { err = c.Install(number, m) })
	if err != nil {
		n.log.Debug("an image is not used", "shard", number, "cause", err)
	}
}

// Rebuild makes the bases of some shards of a source anew from their tables, whoever owns
// them. It fails when the source does not have them all.
func (n *Net) Rebuild(ctx context.Context, source int, shards []int) error {
	for some := range slices.Chunk(shards, buildShards) {
		if err := n.buildFromTable(ctx, source, some); err != nil {
			return err
		}
	}
	return nil
}

// buildFromTable builds the bases of some shards from their table.
func (n *Net) buildFromTable(ctx context.Context, database int, shards []int) error {
	tables, copied, err := n.copy(ctx, database, shards)
	if err != nil {
		return err
	}
	return n.installTables(ctx, database, tables, copied)
}

// copy reads the tables of some shards.
func (n *Net) copy(ctx context.Context, database int, shards []int) (map[int]*table, Copied, error) {
	tables := map[int]*table{}
	for _, number := range shards {
		tables[number] = new(table)
	}
	copied, err := n.options.Sources[database].Copy(ctx, shards, func(r Row) {
		if t := tables[r.Shard]; t != nil {
			t.add(r)
		}
	})
	if err != nil {
		return nil, Copied{}, fmt.Errorf("copy the tables of %d shards: %w", len(shards), err)
	}
	return tables, copied, nil
}

// installTables makes bases of tables. A build is numbered when its copy was made, so that
// of two the one with the higher number is not the older for long.
func (n *Net) installTables(ctx context.Context, database int, tables map[int]*table, copied Copied) error {
	builds, err := n.options.Sources[database].NextBuilds(ctx, slices.Collect(maps.Keys(copied.Epochs)))
	if err != nil {
		return fmt.Errorf("number builds of %d shards: %w", len(copied.Epochs), err)
	}
	for number, epoch := range copied.Epochs {
		if builds[number].Epoch != epoch {
			continue // it has moved since
		}
		head := shard.Head{Epoch: epoch, Build: builds[number].Number, Database: database, At: copied.At}
		n.install(ctx, number, tables[number].image(head))
		n.stats.Built.Add(1)
	}
	return nil
}

// table is what a copy gave of a shard.
type table struct {
	lasting, reserved []bloom.Hash
}

func (t *table) add(r Row) {
	if r.Reserved {
		t.reserved = append(t.reserved, r.Hash)
	} else {
		t.lasting = append(t.lasting, r.Hash)
	}
}

// names are all.
func (t *table) names() []bloom.Hash { return slices.Concat(t.lasting, t.reserved) }

// growth is how many more names a new base has room for, in percent.
const growth = 10

func (t *table) image(head shard.Head) shard.Image {
	names := uint64(len(t.lasting))
	base := bloom.New(names + names*growth/100 + minNames)
	for _, h := range t.lasting {
		base.Add(h)
	}
	return shard.Built(head, base, names, t.reserved)
}
