package hotname

import (
	"context"
	"sync"
	"time"
)

const (
	// beatInterval is how often it is looked at what is due.
	beatInterval = 50 * time.Millisecond
	// beatsInSecond is how many of them the sketch counts for.
	beatsInSecond = int(time.Second / beatInterval)
)

// Run reads hot names and tells the others, until ctx ends; when it returns, all that it
// began has ended. Without it a List only takes what others tell.
func (l *List) Run(ctx context.Context) {
	beat := time.NewTicker(beatInterval)
	defer beat.Stop()
	var reads sync.WaitGroup
	defer reads.Wait()
	for beats := 0; ; {
		select {
		case <-ctx.Done():
			return
		case id := <-l.hot:
			l.consider(id)
		case m := <-l.outbox:
			l.send(m)
		case <-beat.C:
			if beats++; beats%beatsInSecond == 0 {
				l.sketch.turn()
			}
			now := l.options.Clock()
			l.expire(now)
			for _, p := range l.due(now) {
				reads.Go(func() { l.read(ctx, p) })
			}
			for _, m := range l.again(now) {
				l.send(m)
			}
		}
	}
}

func (l *List) send(m message) {
	if l.options.Broadcast(m.key, m.payload) != nil {
		l.Counters.Unsent.Add(1)
		return
	}
	l.Counters.Announced.Add(1)
}
