package faults_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// probeInterval is how often a balancer asks each replica whether it is ready.
const probeInterval = 100 * time.Millisecond

// balancer sends calls to replicas that say they are ready, to one after the other, on
// connections that it keeps. It tries none twice.
type balancer struct {
	replicas []*replica
	ready    []atomic.Bool
	turn     atomic.Uint64
	forward  httputil.ReverseProxy
	unready  atomic.Int64 // calls for which nobody was ready
}

// balance begins to ask replicas, until the test ends.
func balance(t testing.TB, replicas ...*replica) *balancer {
	b := &balancer{replicas: replicas, ready: make([]atomic.Bool, len(replicas))}
	kept := &http.Transport{MaxIdleConnsPerHost: 64}
	b.forward = httputil.ReverseProxy{Rewrite: b.rewrite, Transport: kept, ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
		t.Logf("%s %s: %v", r.Method, r.URL, err)
		w.WriteHeader(http.StatusBadGateway)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var probing sync.WaitGroup
	for i := range replicas {
		probing.Go(func() { b.probe(ctx, i) })
	}
	t.Cleanup(func() {
		cancel()
		probing.Wait()
		kept.CloseIdleConnections()
	})
	return b
}

// probe asks a replica again and again.
func (b *balancer) probe(ctx context.Context, i int) {
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		b.ready[i].Store(b.replicas[i].ready(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// awaitReady waits until a replica gets calls.
func (b *balancer) awaitReady(t testing.TB, i int) {
	t.Helper()
	eventually(t, patience, "a replica that gets calls", b.ready[i].Load)
}

// rewrite sends a call to the next replica that is ready.
func (b *balancer) rewrite(r *httputil.ProxyRequest) {
	for range b.replicas {
		i := int(b.turn.Add(1) % uint64(len(b.replicas)))
		if !b.ready[i].Load() {
			continue
		}
		to, err := url.Parse(b.replicas[i].url.Load().(string))
		if err == nil {
			r.SetURL(to)
			return
		}
	}
	b.unready.Add(1)
}

// ready asks a replica as a balancer does.
func (r *replica) ready(ctx context.Context) bool {
	at, _ := r.admin.Load().(string)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/readyz", nil)
	if at == "" || err != nil {
		return false
	}
	request.Close = true
	response, err := r.client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// front is all of the replicas, behind the balancer.
func (b *balancer) front(t testing.TB) *replica {
	t.Helper()
	server := httptest.NewServer(&b.forward)
	t.Cleanup(server.Close)
	all := &replica{id: "balancer", client: server.Client()}
	all.url.Store(server.URL)
	return all
}
