package rediscache

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"namegate/storage/feed"
)

// record is a position as it stands in Redis, behind the hash of the replication histories
// that it was stored in. It is "" where there is none, or no generation to go with it.
type record struct {
	text      string
	abandoned bool // there is no generation
}

// decode gives a position that counts.
func (r record) decode(histories [16]byte) (at feed.Position, ok bool) {
	rest, ok := strings.CutPrefix(r.text, string(histories[:]))
	ok = ok && !r.abandoned && at.UnmarshalBinary([]byte(rest)) == nil
	return at, ok
}

// load reads the position, and whether there is a generation.
func (f *follower) load(ctx context.Context) (record, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := f.cache.client.MGet(ctx, f.cache.keys.position(f.reader.Database()), f.cache.keys.generation()).Result()
	if err != nil {
		return record{}, fmt.Errorf("read a position from Redis: %w", err)
	}
	text, _ := answer[0].(string)
	g, _ := answer[1].(string)
	return record{text: text, abandoned: len(g) != len(generation{})}, nil
}

// move replaces the position, if it is still the known one; another leader's is as good.
func (f *follower) move(ctx context.Context, known record, to feed.Position, histories [16]byte, fresh []byte) error {
	b, err := to.MarshalBinary()
	if err != nil {
		return fmt.Errorf("store a position in Redis: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	keys := []string{f.cache.keys.position(f.reader.Database()), f.cache.keys.generation()}
	moved, err := moveScript.Run(ctx, f.cache.client, keys, known.text, append(histories[:], b...), fresh).Bool()
	if err != nil {
		return fmt.Errorf("store a position in Redis: %w", err)
	}
	if moved && len(fresh) > 0 {
		f.cache.Counters.Generations.Add(1)
		f.cache.log.Info("all entries of Redis are void", "database", f.reader.Database())
	}
	return nil
}

// histories tells apart the replication histories of the primaries. A primary begins
// another one when it starts and when it was promoted, and only then may it have lost
// what an earlier poll wrote (https://redis.io/docs/latest/operate/oss_and_stack/management/replication/).
func (c *Cache) histories(ctx context.Context) (sum [16]byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var (
		mu  sync.Mutex
		ids []string
	)
	ask := func(ctx context.Context, one *redis.Client) error {
		id, err := history(ctx, one)
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, id)
		return err
	}
	switch client := c.client.(type) {
	case *redis.ClusterClient:
		err = client.ForEachMaster(ctx, ask) // of now, not as they were known
	case *redis.Client:
		err = ask(ctx, client)
	}
	slices.Sort(ids)
	whole := sha256.Sum256([]byte(strings.Join(ids, " ")))
	return [16]byte(whole[:]), err
}

// history is the id of a primary's replication history.
func history(ctx context.Context, one *redis.Client) (string, error) {
	info, err := one.Info(ctx, "replication").Result()
	if err != nil {
		return "", fmt.Errorf("ask Redis for its replication history: %w", err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	if fields["role"] != "master" || fields["master_replid"] == "" {
		return "", fmt.Errorf("ask Redis for its replication history: it is a %q", fields["role"])
	}
	return fields["master_replid"], nil
}
