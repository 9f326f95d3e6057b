package localpg

import (
	"errors"
	"fmt"
)

var (
	// ErrNoCluster says that a state folder holds no cluster.
	ErrNoCluster = errors.New("no PostgreSQL cluster in this folder")
	// ErrNotRunning says that no server runs on a cluster.
	ErrNotRunning = errors.New("no PostgreSQL server runs on this folder")
	// ErrStopped says that a Server was stopped for good.
	ErrStopped = errors.New("PostgreSQL server was stopped")
)

// InUseError says that another process has started the cluster and keeps it.
type InUseError struct {
	Dir string // the state folder
	PID int    // the other process; 0 when it has not said so yet
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by process %d", e.Dir, e.PID)
}
