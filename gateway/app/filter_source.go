package app

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"namegate/bloomnet"
	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// filterSource shows the filter one database.
type filterSource struct {
	postgres.FeedReader
	clock  func() shard.Instant
	hasher bloom.Hasher
	told   listeners
	// known is the tag of the owned vshards that the filter was told last. One goroutine
	// begins and polls.
	known [16]byte
}

var _ bloomnet.Source = (*filterSource)(nil)

// maxUpdates is how many changes a poll may have: some minutes of all that a database can
// take. They are in memory at once.
const maxUpdates = 4_000_000

// Name is the name that operators gave the database.
func (s *filterSource) Name() string { return s.Database() }

// Identity is the id that the database keeps.
func (s *filterSource) Identity(source string) string {
	return source[:min(len(source), len(feed.Source{}.Database))]
}

// Begin gives the newest position.
func (s *filterSource) Begin(ctx context.Context) (shard.Position, error) {
	s.known = [16]byte{}
	p, err := s.Now(ctx)
	if err != nil {
		return shard.Position{}, err
	}
	s.told.forget()
	return positionOf(p)
}

// Poll gives the changes of usernames.
func (s *filterSource) Poll(ctx context.Context, from shard.Position) (shard.Poll, error) {
	var at feed.Position
	if err := at.UnmarshalText([]byte(from.Token)); err != nil {
		return shard.Poll{}, fmt.Errorf("%w: %w", bloomnet.ErrVoid, err)
	}
	sent := s.clock() // before the poll is sent, and so not too late
	whole, err := s.PollWhole(ctx, at, s.known, maxUpdates)
	if err != nil {
		return shard.Poll{}, sourceError(err)
	}
	s.told.apply(whole.Events)
	to, err := positionOf(whole.Position)
	if err != nil {
		return shard.Poll{}, err
	}
	p := shard.Poll{From: from, To: to, Sent: sent, Events: s.events(whole.Events)}
	if whole.Owned != nil {
		p.Owned = make([]uint64, storage.Vshards)
		for v, epoch := range whole.Owned {
			p.Owned[v] = uint64(epoch)
		}
	}
	s.known = whole.VshardsTag
	return p, nil
}

func (s *filterSource) events(list []feed.Event) []shard.Event {
	var events []shard.Event
	for _, u := range list {
		if u.Kind == identifier.Username {
			events = append(events, shard.Event{
				Shard: int(u.Vshard), Epoch: uint64(u.Epoch), Hash: s.hasher.Sum(u.Key), Change: shard.Change(u.Change),
				Reserved: u.State == storage.Reserved,
			})
		}
	}
	return events
}

// Copy gives the usernames of some vshards.
func (s *filterSource) Copy(ctx context.Context, shards []int, add func(bloomnet.Row)) (bloomnet.Copied, error) {
	copied, err := s.FeedReader.Copy(ctx, identifier.Username, vshardsOf(shards), func(rows []feed.Row) error {
		for _, r := range rows {
			add(bloomnet.Row{Shard: int(r.Vshard), Hash: s.hasher.Sum(r.Key), Reserved: r.State == storage.Reserved})
		}
		return nil
	})
	if err != nil {
		return bloomnet.Copied{}, err
	}
	at, err := positionOf(copied.Position)
	epochs := make(map[int]uint64, len(shards))
	for i, number := range shards {
		epochs[number] = uint64(copied.Epochs[i])
	}
	return bloomnet.Copied{At: at, Epochs: epochs}, err
}

// NextBuilds gives the numbers of the next builds of some vshards.
func (s *filterSource) NextBuilds(ctx context.Context, shards []int) (map[int]bloomnet.Build, error) {
	numbered, err := s.FeedReader.NextBuilds(ctx, vshardsOf(shards))
	builds := make(map[int]bloomnet.Build, len(numbered))
	for v, b := range numbered {
		builds[int(v)] = bloomnet.Build(b)
	}
	return builds, err
}

func vshardsOf(shards []int) []storage.Vshard {
	vshards := make([]storage.Vshard, len(shards))
	for i, number := range shards {
		vshards[i] = storage.Vshard(number)
	}
	return vshards
}

// positionOf is a position as filters know it. What runs below Xmax is still to come, so
// the difference grows with every change that becomes visible.
func positionOf(p feed.Position) (shard.Position, error) {
	token, err := p.MarshalText()
	source := append([]byte(nil), p.Source.Database[:]...) // see Identity
	source = binary.LittleEndian.AppendUint64(source, p.Source.System)
	source = binary.LittleEndian.AppendUint32(source, p.Source.Timeline)
	return shard.Position{Source: string(source), At: p.Xmax - uint64(len(p.Running)), Token: string(token)}, err
}

// sourceError puts what a feed says in terms of the filter.
func sourceError(err error) error {
	if void, ok := errors.AsType[*feed.RebuildError](err); ok {
		return fmt.Errorf("%w: %s", bloomnet.ErrVoid, void.Reason)
	}
	if _, tooLarge := errors.AsType[*feed.TooLargeError](err); tooLarge {
		return fmt.Errorf("%w: %w", bloomnet.ErrTooMuch, err)
	}
	return err
}
