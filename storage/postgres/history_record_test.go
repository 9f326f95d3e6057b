package postgres_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// recorded is one entry of a history. Times are nanoseconds since the run began.
type recorded struct {
	Client       int
	Operation    operation
	Reply        reply
	Call, Return int64
}

// openEnded is the return of a call whose outcome is unknown.
const openEnded = math.MaxInt64

// history is what happened to a group.
type history struct {
	began time.Time

	mu      sync.Mutex
	entries []recorded
}

func (h *history) now() int64 { return time.Since(h.began).Nanoseconds() }

func (h *history) add(r ...recorded) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, r...)
}

// operations are the entries for the checker.
func (h *history) operations() []porcupine.Operation {
	var list []porcupine.Operation
	for _, e := range h.entries {
		if out := &e.Reply; out.State == storage.Reserved {
			out.Marked = out.Marked || h.mayWinLate(out.By, e)
		} else if e.Operation.Kind == opFree {
			out.Marked = h.mayWinLate(e.Operation.Reservation, e)
		}
		list = append(list, porcupine.Operation{ClientId: e.Client, Input: e.Operation, Output: e.Reply, Call: e.Call, Return: e.Return})
	}
	return list
}

// mayWinLate says that a reserve could win its name once more around an entry: it was
// never answered, or is under way and repeats what broke off, or was sent again. If the
// name has run out meanwhile, it wins, and gives the name back at once if its record
// stands already; where that fails the name stays reserved for nobody.
func (h *history) mayWinLate(reservation int, e recorded) bool {
	return !h.answered(reservation) || slices.ContainsFunc(h.entries, func(r recorded) bool {
		return r.Operation.Kind == opReserve && r.Operation.Reservation == reservation &&
			(r.Reply.Is == isUnknown || r.Call <= e.Return && e.Call <= r.Return)
	})
}

// answered says that a reserve won its name and its client knows.
func (h *history) answered(reservation int) bool {
	return slices.ContainsFunc(h.entries, func(r recorded) bool {
		return r.Operation.Kind == opReserve && r.Operation.Reservation == reservation && r.Reply.Is == isOK
	})
}

// checkLimit is how long the check of one group may take.
const checkLimit = 60 * time.Second

// requireLinearizable checks the history, and keeps one that is not.
func (h *history) requireLinearizable(t *testing.T, name string, seed uint64) {
	t.Helper()
	m := model()
	result, info := porcupine.CheckOperationsVerbose(m, h.operations(), checkLimit)
	if result == porcupine.Ok {
		return
	}
	dir, err := os.MkdirTemp("", "namegate-history-")
	require.NoError(t, err)
	slices.SortFunc(h.entries, func(a, b recorded) int { return int(a.Call - b.Call) })
	text, err := json.MarshalIndent(h.entries, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "history.json"), text, 0o600))
	require.NoError(t, porcupine.VisualizePath(m, info, filepath.Join(dir, "history.html")))
	require.Fail(t, fmt.Sprintf("%s is not linearizable (%s); it is in %s; -history.seed=%d runs its schedule again", name, result, dir, seed))
}
