package bloomnet

import (
	"fmt"

	"namegate/bloomnet/member"
)

const (
	// MaxTopic is the highest number of a topic.
	MaxTopic = 0xff - kindTopics
	// MaxPayload is how many bytes a Broadcast may have.
	MaxPayload = member.MaxPayload
)

// Broadcast tells all other replicas something small that is not of the filter; of one
// that stands alone, nobody. Most get it, within a fraction of a second: it may be lost,
// late, out of order. key is of at most 32 bytes: a payload takes the place of an older
// one of this replica, of the same topic and key, that is still on its way; an empty key
// takes none. It never waits, and fails when that is too large, or the queue too full.
func (n *Net) Broadcast(topic uint8, key string, payload []byte) error {
	if topic > MaxTopic {
		return fmt.Errorf("there is no topic %d", topic)
	}
	if n.fleet == nil {
		return nil
	}
	return n.fleet.cluster.Broadcast(member.Normal, kindTopics+topic, key, payload)
}
