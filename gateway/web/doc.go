// Package web serves the sign-up page: type a name, see whether it is free, hold
// it, give it back; and, where the gateway gives demo accounts away, confirm it and
// rename the account. Its files are embedded, ask nothing of a foreign host, and
// speak to the public GraphQL endpoint as any other client does.
package web
