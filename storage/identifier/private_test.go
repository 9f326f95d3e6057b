package identifier_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func TestEmailRules(t *testing.T) {
	t.Parallel()
	malformed := []broken{{identifier.InvalidCharacter, identifier.NoPosition}}
	tooLong := []broken{{identifier.TooLong, identifier.NoPosition}}
	label := strings.Repeat("a", 63)
	for _, c := range []struct {
		raw  string
		want []broken
	}{
		{"", []broken{{identifier.TooShort, identifier.NoPosition}}},
		{"jane", malformed},
		{"@example.com", malformed},
		{"jane@", malformed},
		{"Jane <jane@example.com>", malformed},
		{"<jane@example.com>", malformed},
		{"jane@example.com (Jane)", malformed},
		{"jane(x)@example.com", malformed},
		{" jane@example.com", malformed},
		{"jane@example.com\n", malformed},
		{"jane @example.com", malformed},
		{"a@example.com, b@example.com", malformed},
		{"team: jane@example.com;", malformed},
		{`"jane"@example.com`, malformed},
		{"jane..doe@example.com", malformed},
		{"jane\x00@example.com", malformed},
		{"jane@[192.0.2.1]", malformed},
		{"jane@exa_mple.com", malformed},
		{"jane@-example.com", malformed},
		{"jane@example..com", malformed},
		{"jane@example.com.", malformed},
		{"jane@xn--a.example", malformed},
		{"jane@ＥＸＡＭＰＬＥ.com", malformed},
		{"jane@example。com", malformed},
		{"jane@\u0130stanbul.example", malformed},
		{"jane@ﬁsh.example", malformed},
		{"jane@\u05D0a.example", malformed},
		{"jane@bu\u0308cher.example", malformed},
		{"jane@" + label + "a.example", malformed},
		{"jäne\xff@example.com", []broken{{identifier.NotUTF8, 4}}},
		{strings.Repeat("j", 65) + "@example.com", tooLong},
		{strings.Repeat("j", 65) + "@exa_mple.com", append(tooLong, malformed...)},
		{"j@" + strings.Repeat(label+".", 4) + "a", tooLong},
		{strings.Repeat("j", 64) + "@" + strings.Repeat("ü.", 24) + "example", tooLong},
	} {
		require.Equal(t, c.want, brokenRules(t, identifier.Email, c.raw), "%q", c.raw)
	}
}

func TestEmailTakesUnusualAddresses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"jane+tag@example.com",
		"o'brien@example.co.uk",
		strings.Repeat("j", 64) + "@example.com",
		"postmaster@localhost",
		`"a@b"@example.com`,
		"jane@straße.example",
		"jane@例え.テスト",
		"jane@" + strings.Repeat("a", 63) + ".example",
	} {
		_, err := newParser(t).Parse(identifier.Email, raw)
		require.NoError(t, err, raw)
	}
}

// Unicode 15.0 maps the capital sharp s to ss and later versions to ß. Its key is
// that of ß or it has none, whichever version the library has.
func TestEmailDomainKeyDoesNotDependOnUnicodeVersion(t *testing.T) {
	t.Parallel()
	p := newParser(t)
	want, err := p.Parse(identifier.Email, "jane@straße.example")
	require.NoError(t, err)
	if id, err := p.Parse(identifier.Email, "jane@STRAẞE.example"); err == nil {
		require.Equal(t, want.Key(), id.Key())
	}
}

func TestPhoneRules(t *testing.T) {
	t.Parallel()
	whole := identifier.NoPosition
	for _, c := range []struct {
		raw  string
		want []broken
	}{
		{"", []broken{{identifier.TooShort, whole}}},
		{"+", []broken{{identifier.TooShort, whole}}},
		{"+1", []broken{{identifier.TooShort, whole}}},
		{"+49 30", []broken{{identifier.TooShort, whole}}},
		{"+1 415 555 26", []broken{{identifier.TooShort, whole}}},
		{"+1 415 555 26711", []broken{{identifier.TooLong, whole}}},
		{"+49 2111 1111 1111 11", []broken{{identifier.TooLong, whole}}},
		{"+14155552671" + strings.Repeat(" ", 53), []broken{{identifier.TooLong, whole}}},
		{"4155552671", []broken{{identifier.InvalidStart, 0}}},
		{"00491701234567", []broken{{identifier.InvalidStart, 0}}},
		{"+999 4155552671", []broken{{identifier.InvalidStart, 0}}},
		{"tel:+14155552671", []broken{{identifier.InvalidStart, 0}, {identifier.InvalidCharacter, 0}}},
		{"++14155552671", []broken{{identifier.InvalidCharacter, 1}}},
		{"+1 800 FLOWERS", []broken{{identifier.InvalidCharacter, 7}}},
		{"+1 415 555 2671 x5", []broken{{identifier.InvalidCharacter, 16}}},
		{"+1415555267１", []broken{{identifier.InvalidCharacter, 11}}},
		{"+1415\x005552671", []broken{{identifier.InvalidCharacter, 5}}},
		{"+1415\xff5552671", []broken{{identifier.NotUTF8, 5}}},
		{"+1 111 111 1111", []broken{{identifier.InvalidCharacter, whole}}},
		{"+44 (0)20 7946 0958", []broken{{identifier.InvalidCharacter, whole}}},
	} {
		require.Equal(t, c.want, brokenRules(t, identifier.Phone, c.raw), "%q", c.raw)
	}
}

func TestPhoneTakesNumbersOfManyPlans(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"+49 30 901820", "+33 1 42 68 53 00", "+81 3-3580-3311", "+55 11 91234-5678", "+54 9 11 2345-6789",
		"+52 55 1234 5678", "+91 98765 43210", "+86 138 0013 8000", "+800 1234 5678", "+7 495 123-45-67",
		"+14155552671" + strings.Repeat(" ", 52),
	} {
		_, err := newParser(t).Parse(identifier.Phone, raw)
		require.NoError(t, err, raw)
	}
}

func TestLicenseRules(t *testing.T) {
	t.Parallel()
	whole := identifier.NoPosition
	for _, c := range []struct {
		raw  string
		want []broken
	}{
		{"", []broken{{identifier.TooShort, whole}}},
		{strings.Repeat("A", 256), []broken{{identifier.TooLong, whole}}},
		{"AB-12", []broken{{identifier.InvalidCharacter, 2}}},
		{".A_", []broken{{identifier.InvalidCharacter, 0}}},
		{"AB 12", []broken{{identifier.InvalidCharacter, 2}}},
		{"ÄB12", []broken{{identifier.InvalidCharacter, 0}}},
		{"A\u212A", []broken{{identifier.InvalidCharacter, 1}}},
		{"A\u017F", []broken{{identifier.InvalidCharacter, 1}}},
		{"AB\x0012", []broken{{identifier.InvalidCharacter, 2}}},
		{"AB\xc3", []broken{{identifier.NotUTF8, 2}}},
	} {
		require.Equal(t, c.want, brokenRules(t, identifier.License, c.raw), "%q", c.raw)
	}
	_, err := newParser(t).Parse(identifier.License, strings.Repeat("A", 255))
	require.NoError(t, err)
}

func TestPrivateValueIsKeptNowhere(t *testing.T) {
	t.Parallel()
	for kind, raw := range map[identifier.Kind]string{
		identifier.Email:   "jane@example.com",
		identifier.Phone:   "+14155552671",
		identifier.License: "A1B2C3",
	} {
		id, err := newParser(t).Parse(kind, raw)
		require.NoError(t, err)
		require.Equal(t, kind, id.Kind())
		require.Empty(t, id.Canonical())
		require.Empty(t, id.Display())
		require.Regexp(t, `^[0-9a-f]{64}$`, id.Key())
	}
}
