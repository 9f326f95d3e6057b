package app

import (
	"fmt"
	"io"
	"net"
)

// Greet tells a person where a replica that has started is found, with a first
// query to paste.
func (r *Replica) Greet(w io.Writer) {
	public, admin := address(r.http), address(r.admin)
	fmt.Fprintf(w, "\nnamegate is running.\n\n  Sign-up page  %s/\n", public)
	if r.opts.Playground {
		fmt.Fprintf(w, "  Playground    %s%s\n", public, playgroundPath)
	}
	fmt.Fprintf(w, "  GraphQL       %s%s\n  Readiness     %s/readyz\n", public, graphqlPath, admin)
	fmt.Fprintf(w, `
A first query, for a shell:

  curl -s %s%s -H 'Content-Type: application/json' \
    -d '{"query": "{ usernameAvailable(name: \"ada.lovelace\") { available reason decidedBy } }"}'

and for the playground:

  { usernameAvailable(name: "ada.lovelace") { available reason decidedBy asOf } }

Ctrl-C stops it, and the names stay.

`, public, graphqlPath)
}

// address is a URL at which a browser on this machine finds a listener.
func address(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return l.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
