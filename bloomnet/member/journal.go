package member

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// journal takes log lines without waiting, as memberlist logs under its locks and in
// the paths of every packet.
type journal struct {
	log     *slog.Logger
	drops   *tally
	limit   *rate.Limiter // of memberlist's lines for debugging
	notices chan notice
	ending  atomic.Bool // what memberlist meets then is the end

	mu      sync.Mutex // guards all below
	repeats repeats    // of memberlist's other lines
}

type notice struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

// maxNotices wait for the log; memberlist may add so many lines for debugging a second, and
// at once.
const (
	maxNotices  = 256
	linesSecond = 5
	linesAtOnce = 50
)

func newJournal(log *slog.Logger, drops *tally) *journal {
	return &journal{
		log: log, drops: drops,
		limit:   rate.NewLimiter(linesSecond, linesAtOnce),
		notices: make(chan notice, maxNotices),
		repeats: repeats{},
	}
}

func (j *journal) tell(level slog.Level, text string, attrs ...slog.Attr) {
	select {
	case j.notices <- notice{level, text, attrs}:
	default:
		j.drops.add(droppedLog)
	}
}

// Write takes a line of memberlist's: a level in brackets, its name, a text.
func (j *journal) Write(line []byte) (int, error) {
	level, text := slog.LevelInfo, strings.TrimSpace(string(line))
	for prefix, of := range levels {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			level, text = of, rest
		}
	}
	if j.ending.Load() {
		level = slog.LevelDebug
	}
	if !j.log.Enabled(context.Background(), level) {
		return len(line), nil
	}
	text = strings.TrimPrefix(text, "memberlist: ")
	if level > slog.LevelDebug {
		j.condense(level, text)
	} else if j.limit.Allow() {
		j.tell(level, "memberlist", slog.String("line", text))
	} else {
		j.drops.add(droppedLog)
	}
	return len(line), nil
}

// condense tells a line with what it means, unless one of its kind was told a moment ago.
func (j *journal) condense(level slog.Level, line string) {
	j.mu.Lock()
	tell, more := j.repeats.take(kindOf(line), time.Now())
	j.mu.Unlock()
	if !tell {
		j.drops.add(droppedLog)
		return
	}
	attrs := []slog.Attr{slog.String("line", line)}
	if more > 0 {
		attrs = append(attrs, slog.Int("more", more))
	}
	j.tell(level, cmp.Or(causeOf(line), "memberlist"), attrs...)
}

// levels are mostly one lower than memberlist's: a lost packet is no error here.
var levels = map[string]slog.Level{
	"[DEBUG] ": slog.LevelDebug,
	"[INFO] ":  slog.LevelDebug,
	"[WARN] ":  slog.LevelInfo,
	"[ERR] ":   slog.LevelWarn,
	"[ERROR] ": slog.LevelWarn,
}

// write passes the lines on until ctx ends, and what is there then.
func (j *journal) write(ctx context.Context) {
	for {
		select {
		case n := <-j.notices:
			j.log.LogAttrs(ctx, n.level, n.text, n.attrs...)
		case <-ctx.Done():
			for range len(j.notices) {
				n := <-j.notices
				j.log.LogAttrs(ctx, n.level, n.text, n.attrs...)
			}
			return
		}
	}
}
