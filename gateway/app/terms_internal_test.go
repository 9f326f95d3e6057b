package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func TestTermsOfAStore(t *testing.T) {
	t.Parallel()
	terms := Terms{
		OwnerLimits: map[string]int{"email": 3, "PHONE": 0},
		Protection:  time.Hour, RenameCooldown: time.Minute,
	}
	require.NoError(t, terms.Validate())
	require.Equal(t, storage.Terms{
		Limits: map[identifier.Kind]int{
			identifier.Username: 1, identifier.Email: 3, identifier.Phone: 0, identifier.License: DefaultOwnerLimit,
		},
		Protection: time.Hour, RenameCooldown: time.Minute,
	}, terms.storage())
}

func TestWrongTerms(t *testing.T) {
	t.Parallel()
	for wrong, change := range map[string]func(*Terms){
		`"username" is neither email`:  func(terms *Terms) { terms.OwnerLimits["username"] = 2 },
		"--owner-limit of email":       func(terms *Terms) { terms.OwnerLimits["email"] = -1 },
		"must be from 0 to 1000":       func(terms *Terms) { terms.OwnerLimits["phone"] = 1001 },
		"--protection must be":         func(terms *Terms) { terms.Protection = 0 },
		"from 1s to 3650d":             func(terms *Terms) { terms.Protection = 3651 * 24 * time.Hour },
		"--rename-cooldown must be":    func(terms *Terms) { terms.RenameCooldown = -1 },
		"cooldown must be from 0s to ": func(terms *Terms) { terms.RenameCooldown = 3651 * 24 * time.Hour },
	} {
		terms := Terms{OwnerLimits: map[string]int{}, Protection: time.Second}
		require.NoError(t, terms.Validate())
		change(&terms)
		require.ErrorContains(t, terms.Validate(), wrong)
	}
}
