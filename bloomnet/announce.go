package bloomnet

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"namegate/bloomnet/member"
	"namegate/bloomnet/shard"
)

const (
	// announceInterval is how often heads are looked at for what is to be announced.
	announceInterval = 2 * time.Second
	// chunkShards is of how many shards one message tells.
	chunkShards = 64
	// readyShare is of how many shards in a hundred a replica must have an image to be
	// ready, and readyTimeout is after how long it is in any case.
	readyShare   = 99
	readyTimeout = time.Minute
)

// Kinds of messages. Those of topics have the topic added.
const (
	kindHeads  = 1
	kindHints  = 2
	kindTopics = 0x80
)

// announce tells the others which bases this replica has, and that it is ready.
func (f *fleet) announce(ctx context.Context) {
	told := make([][]byte, (f.Net.options.Shards+chunkShards-1)/chunkShards)
	began, ready := time.Now(), false
	for f.pauseFor(ctx, announceInterval) {
		own, have := f.own(ctx)
		f.heads.prepare(own)
		f.heads.keep(f.cluster.View().Members)
		f.tell(told, own)
		if !ready && (have*100 >= len(own)*readyShare || time.Since(began) > readyTimeout) {
			ready = f.cluster.SetState(member.Ready) == nil
		}
	}
}

// own is the base that this replica has of each shard, and of how many it has one.
func (n *Net) own(ctx context.Context) (list []summary, have int) {
	list = make([]summary, n.options.Shards)
	n.do(ctx, func(c *shard.Core) {
		for d := range n.options.Sources {
			for _, s := range c.Survey(d) {
				if !s.Missing {
					list[s.Shard] = summary{uint32(s.Head.Epoch), uint32(s.Head.Build)}
					have++
				}
			}
		}
	})
	return list, have
}

// tell broadcasts what has changed of what this replica owns; what else it has is in its
// digest.
func (f *fleet) tell(told [][]byte, own []summary) {
	owns := f.ownership()
	for c := range told {
		first := c * chunkShards
		payload := []byte{byte(first), byte(first >> 8)}
		for number := first; number < min(first+chunkShards, len(own)); number++ {
			s := summary{}
			if owns(number) {
				s = own[number]
			}
			payload = appendSummary(payload, s)
		}
		if bytes.Equal(payload, told[c]) {
			continue
		}
		if err := f.cluster.Broadcast(member.Normal, kindHeads, fmt.Sprint(c), payload); err == nil {
			told[c] = payload
		}
	}
}

// gossiped takes what another replica broadcasts.
func (f *fleet) gossiped(_ context.Context, m member.Message) {
	switch {
	case m.Kind == kindHeads && len(m.Payload) >= 2:
		f.heads.learn(m.Origin.Replica, int(m.Payload[0])|int(m.Payload[1])<<8, m.Payload[2:])
	case m.Kind >= kindTopics:
		if receive := f.Net.options.Topics[m.Kind-kindTopics]; receive != nil {
			receive(m.Payload)
		}
	}
}

// digested takes another replica's digest.
func (f *fleet) digested(_ context.Context, m member.Message) {
	f.heads.learn(m.Origin.Replica, 0, m.Payload)
}
