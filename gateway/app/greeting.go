package app

import (
	"fmt"
	"io"
	"net"
	"time"

	"namegate/gateway/auth"
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
`, public, graphqlPath)
	if r.demo != nil {
		r.greetCallers(w, public)
	}
	fmt.Fprint(w, "\nCtrl-C stops it, and the names stay.\n\n")
}

// greetingTTL is how long the access tokens of the greeting are good.
const greetingTTL = 24 * time.Hour

// greetCallers gives access tokens away, with a first query for each.
func (r *Replica) greetCallers(w io.Writer, public string) {
	token := func(subject, scope string) string {
		signed, err := r.demo.Token(Grant{Subject: subject, Scope: scope, TTL: greetingTTL})
		if err != nil {
			panic(err) // the grant is constant: a bug
		}
		return signed
	}
	fmt.Fprintf(w, `
Access tokens, good for %.0f hours, of the account user:demo and of a back end:

  USER_TOKEN=%s
  SERVICE_TOKEN=%s

A token goes into the header Authorization; in the playground, under Headers, as
{"Authorization": "Bearer TOKEN"}. What the account has, and who has a name:

  curl -s %[4]s%[5]s -H "Authorization: Bearer $USER_TOKEN" -H 'Content-Type: application/json' \
    -d '{"query": "{ holdings { kind canonical state } }"}'

  curl -s %[4]s%[5]s -H "Authorization: Bearer $SERVICE_TOKEN" -H 'Content-Type: application/json' \
    -d '{"query": "{ usernameOwner(name: \"ada.lovelace\") }"}'

Others are made by: gateway token --data-dir %[6]s --sub user:42
`, greetingTTL.Hours(), token("user:demo", ""), token("service:demo", auth.ScopeService), public, graphqlPath, r.opts.DataDir)
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
