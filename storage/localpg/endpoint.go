package localpg

import (
	"fmt"
	"strings"
)

const (
	superuser = "postgres"
	// port only names the socket file: nothing listens on TCP.
	port       = 5432
	socketName = ".s.PGSQL.5432"
)

// Endpoint is where a server can be reached.
type Endpoint struct {
	// SocketDir is the folder of the server's unix socket.
	SocketDir string
}

// DSN is the connection string of one database as its superuser, in the
// keyword form of libpq, which pgx reads as well.
func (e Endpoint) DSN(database string) string {
	return fmt.Sprintf("host=%s port=%d user=%s dbname=%s", quoteDSN(e.SocketDir), port, superuser, quoteDSN(database))
}

// quoteDSN quotes a value as section 34.1.1.1 of PostgreSQL's manual says.
func quoteDSN(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
