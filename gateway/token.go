package main

import (
	"fmt"
	"time"

	"namegate/gateway/app"
)

type tokenCommand struct {
	Sub   string        `required:"" placeholder:"SUBJECT" help:"Whom the token is for, up to 64 printable characters: the id of an account or, with namegate:service, the name of a back end. Required."`
	Scope string        `placeholder:"SCOPES" help:"What the token allows beyond that account: namegate:service to act for any account, namegate:admin to operate the registry, or both with a space between."`
	TTL   time.Duration `default:"1h" help:"How long the token is good, at least 1s."`
	demoFlags
	jwtFlags
}

// Run prints the token, and nothing else, on standard output.
func (c *tokenCommand) Run(std streams) error {
	grant := app.Grant{Subject: c.Sub, Scope: c.Scope, TTL: c.TTL}
	if err := joinUsage(grant.Validate(), c.tokens().Validate()); err != nil {
		return err
	}
	token, err := app.DemoToken(c.DataDir, c.tokens(), grant)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, token)
	return nil
}
