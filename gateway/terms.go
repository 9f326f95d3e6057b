package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"namegate/gateway/app"
)

// termsFlags are the rules of what accounts may have and change.
type termsFlags struct {
	Protection     period         `default:"90d" help:"How long a former username is kept for its owner and closed to others, from 1s to 3650d."`
	RenameCooldown period         `default:"14d" help:"Time from one rename of an account to the next, from 0s to 3650d; the first one is free."`
	OwnerLimit     map[string]int `placeholder:"KIND=N" help:"How many identifiers of a private kind, email, phone or license, one account may have; 10 of each by default. Give the flag once for each kind; one value may hold several with ; between them."`
}

func (f termsFlags) terms() app.Terms {
	return app.Terms{
		OwnerLimits:    f.OwnerLimit,
		Protection:     time.Duration(f.Protection),
		RenameCooldown: time.Duration(f.RenameCooldown),
	}
}

// period is a duration that may be written in days, as 90d.
type period time.Duration

// UnmarshalText reads days, or what time.ParseDuration reads.
func (p *period) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return errors.New("expected a number of days, such as 90d")
		}
		*p = period(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("expected a duration, such as 90d or 36h")
	}
	*p = period(d)
	return nil
}
