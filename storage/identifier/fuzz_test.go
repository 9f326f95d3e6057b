package identifier_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

var (
	usernameForm = regexp.MustCompile(`^[A-Za-z0-9]+([._][A-Za-z0-9]+)*$`)
	privateKey   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func FuzzParseUsername(f *testing.F) {
	p := seeded(f, "alice", "Mary.Ann_Lee", "a..b", "_x", "\u212Aevin", "\xff", "a\x00b", strings.Repeat("a", 31))
	f.Fuzz(func(t *testing.T, raw string) {
		valid := len(raw) >= 3 && len(raw) <= 30 && usernameForm.MatchString(raw)
		id, ok := parse(t, p, identifier.Username, raw)
		require.Equal(t, valid, ok)
		if !ok {
			return
		}
		require.Equal(t, raw, id.Display())
		require.Equal(t, id.Canonical(), id.Key())
		again, ok := parse(t, p, identifier.Username, id.Canonical())
		require.True(t, ok)
		require.Equal(t, id.Canonical(), again.Canonical())
	})
}

func FuzzParseEmail(f *testing.F) {
	fuzzPrivate(f, identifier.Email, "jane@example.com", "J@BÜCHER.example", `"a b"@x.y`, "Jane <j@x.y>", "j@xn--a", "a@[::1]")
}

func FuzzParsePhone(f *testing.F) {
	fuzzPrivate(f, identifier.Phone, "+1 (415) 555-2671", "+442079460958", "+44 (0)20 7946 0958", "+", "tel:+1;ext=2", "+1１")
}

func FuzzParseLicense(f *testing.F) {
	fuzzPrivate(f, identifier.License, "A1B2C3", "a1", "A-1", "\u017F", strings.Repeat("9", 256))
}

func fuzzPrivate(f *testing.F, kind identifier.Kind, seeds ...string) {
	p := seeded(f, seeds...)
	f.Fuzz(func(t *testing.T, raw string) {
		id, ok := parse(t, p, kind, raw)
		if !ok {
			return
		}
		require.Regexp(t, privateKey, id.Key())
		require.Empty(t, id.Canonical()+id.Display())
	})
}

func seeded(f *testing.F, seeds ...string) *identifier.Parser {
	f.Helper()
	for _, s := range seeds {
		f.Add(s)
	}
	return newParser(f)
}

// parse checks what holds for any value of any kind.
func parse(t *testing.T, p *identifier.Parser, kind identifier.Kind, raw string) (identifier.Identifier, bool) {
	t.Helper()
	id, err := p.Parse(kind, raw)
	if err == nil {
		require.Equal(t, kind, id.Kind())
		return id, true
	}
	var form *identifier.FormError
	require.True(t, errors.As(err, &form))
	require.NotEmpty(t, form.Violations)
	seen := map[identifier.Rule]bool{}
	last := identifier.NoPosition
	for _, v := range form.Violations {
		require.False(t, seen[v.Rule])
		seen[v.Rule] = true
		require.GreaterOrEqual(t, v.Position, last)
		last = v.Position
	}
	require.Zero(t, id)
	return id, false
}
