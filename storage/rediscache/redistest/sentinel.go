package redistest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Sentinels are a primary with one replica, watched by three Sentinels that need two
// votes to fail over.
type Sentinels struct {
	Primary, Replica *Server // as they began
	Watchers         []*Server
}

// SentinelName is the name that Sentinels know the set by.
const SentinelName = "names"

// NewSentinels starts such a set, and returns when the replica follows and all know of each other.
func NewSentinels(t testing.TB) *Sentinels {
	t.Helper()
	s := &Sentinels{Primary: New(t)}
	s.Replica = New(t, "replicaof", "127.0.0.1 "+strconv.Itoa(s.Primary.Port))
	for range 3 {
		s.Watchers = append(s.Watchers, newWatcher(t, s.Primary.Port))
	}
	Eventually(t, s.ready)
	return s
}

// newWatcher starts one Sentinel, whose file it must be able to write.
func newWatcher(t testing.TB, primary int) *Server {
	t.Helper()
	w := &Server{Port: freePort(t)}
	path := filepath.Join(t.TempDir(), "sentinel.conf")
	conf := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 2\nsentinel down-after-milliseconds %[1]s 500\n"+
		"sentinel failover-timeout %[1]s 5000\n", SentinelName, primary)
	require.NoError(t, os.WriteFile(path, []byte(conf), 0o600))
	w.args = append(append([]string{path}, common(t, w.Port)...), "--sentinel")
	w.begin(t)
	return w
}

// ready says what is missing before a failover can go well.
func (s *Sentinels) ready() error {
	for _, w := range s.Watchers {
		known := redis.NewSentinelClient(&redis.Options{Addr: w.Addr(), Protocol: 2})
		state, err := known.Master(context.Background(), SentinelName).Result()
		_ = known.Close()
		if err != nil {
			return err
		}
		if state["num-slaves"] != "1" || state["num-other-sentinels"] != "2" {
			return fmt.Errorf("sentinel knows of %s replicas and %s others", state["num-slaves"], state["num-other-sentinels"])
		}
	}
	return s.Replica.follows()
}

// URL is the set as the gateway's flag names it.
func (s *Sentinels) URL() string {
	return "redis+sentinel://" + addresses(s.Watchers) + "/" + SentinelName
}

func addresses(servers []*Server) string {
	list := make([]string, len(servers))
	for i, s := range servers {
		list[i] = s.Addr()
	}
	return strings.Join(list, ",")
}
