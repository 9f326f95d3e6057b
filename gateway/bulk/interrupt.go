package bulk

import (
	"context"
	"io"
)

// interruptible is a reader whose reads end when ctx does. A terminal or pipe
// that nobody writes to cannot be closed under a read: the goroutine of that last
// read then stays until the process ends, on a buffer of its own.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	own := make([]byte, len(p))
	done := make(chan result, 1)
	go func() {
		n, err := r.in.Read(own)
		done <- result{n, err}
	}()
	select {
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	case got := <-done:
		return copy(p, own[:got.n]), got.err
	}
}
