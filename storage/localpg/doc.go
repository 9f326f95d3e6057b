// Package localpg starts private PostgreSQL servers: the embedded default of
// the gateway's dev command, and the databases of tests.
//
// A state folder holds one cluster. Its entry pg is the home of the cluster: a
// folder of mode 0700 that belongs to the account the server runs as, with the
// data, the log, the lock and, where the path is short enough, the socket. Root
// cannot run PostgreSQL, so for root the account is the system user postgres,
// else nobody; where that account cannot enter the state folder, pg is a
// symbolic link to a folder under /var/lib/namegate. A cluster that is there
// already runs as its owner.
//
// The server listens on a unix socket only, and trusts whoever can enter the
// folder that holds it: the account itself, and root.
//
// A server is not meant to outlive its process. On Linux the kernel asks it for
// a fast shutdown when that process dies, however it dies. Everywhere, a start
// first ends what still runs on the cluster, server or orphaned backend, and
// clears the lock files that a crash left; then PostgreSQL recovers by itself.
package localpg
