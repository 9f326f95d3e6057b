package rediscache

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Cache is one replica's part in the shared cache. Its methods may be called at the same time.
type Cache struct {
	Counters Counters

	opts    Options
	client  redis.UniversalClient
	keys    namespace
	breaker breaker
	pulse   atomic.Pointer[pulse] // nil before the first beat
	log     *slog.Logger

	stop  context.CancelFunc
	beats sync.WaitGroup
}

// Open begins to use a Redis, which need not be there yet. It fails with what
// Options.Validate finds. Close ends what it starts.
func Open(ctx context.Context, o Options) (*Cache, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	at, err := ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	c := &Cache{opts: o, client: newClient(at), keys: newNamespace(o.Prefix, o.Fingerprint), log: o.Logger.With("component", "redis cache")}
	c.breaker.opened = &c.Counters.Opens
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.beats.Go(func() { c.live(ctx) })
	return c, nil
}

// Close ends the cache. Who is still in Lookup asks the database.
func (c *Cache) Close() error {
	c.stop()
	c.beats.Wait()
	c.breaker.closed.Store(false)
	if err := c.client.Close(); err != nil {
		return fmt.Errorf("close connections to Redis: %w", err)
	}
	return nil
}

// live keeps the pulse until ctx ends. Its beats are the probes of the breaker.
func (c *Cache) live(ctx context.Context) {
	var told outage
	for {
		err := c.beat(ctx)
		if ctx.Err() != nil {
			return
		}
		if told.changed(err) {
			c.report(err)
		}
		if !pause(ctx, c.jittered(beatInterval)) {
			return
		}
	}
}

// beat makes one beat, and opens or closes the breaker by it. A beat writes, so a Redis
// that only reads, where nothing can be made void, is as good as none.
func (c *Cache) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatInterval)
	defer cancel()
	sent := c.opts.Clock()
	number, g, err := c.askBeat(ctx)
	if err != nil {
		c.breaker.open()
		return err
	}
	c.pulse.Store(c.pulse.Load().after(g, beat{sent, number}, c.opts.Staleness))
	c.breaker.close()
	return nil
}

func (c *Cache) askBeat(ctx context.Context) (number uint64, g generation, err error) {
	answer, err := beatScript.Run(ctx, c.client, []string{c.keys.beat(), c.keys.generation()}).Slice()
	if err != nil {
		return 0, g, fmt.Errorf("ask Redis for a beat: %w", err)
	}
	n, _ := answer[0].(int64)
	text, _ := answer[1].(string)
	if len(text) == len(g) {
		copy(g[:], text)
	}
	return uint64(n), g, nil
}

func (c *Cache) report(err error) {
	if err != nil {
		c.log.Warn("Redis is not used: checks go to the databases", "cause", err)
		return
	}
	c.log.Info("Redis is used")
}

// token is random: a lease, a lock or a generation.
func (c *Cache) token() (t [16]byte) {
	binary.NativeEndian.PutUint64(t[:8], c.opts.Random())
	binary.NativeEndian.PutUint64(t[8:], c.opts.Random())
	return t
}

// jittered is d, less up to a tenth.
func (c *Cache) jittered(d time.Duration) time.Duration {
	const steps = 1 << 10
	return d - d/10*time.Duration(c.opts.Random()%steps)/steps
}

// outage remembers how it was last. The zero value remembers nothing.
type outage struct{ known, failed bool }

// changed says that it is otherwise than last time.
func (o *outage) changed(err error) bool {
	failed := err != nil
	changed := !o.known || o.failed != failed
	o.known, o.failed = true, failed
	return changed
}

// pause is false when ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
