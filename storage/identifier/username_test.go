package identifier_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func TestUsernameFolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, canonical string }{
		{"alice", "alice"},
		{"Alice", "alice"},
		{"ALICE_99", "alice_99"},
		{"Mary.Ann_Lee", "mary.ann_lee"},
		{"007", "007"},
		{"a.b", "a.b"},
		{strings.Repeat("Z", 30), strings.Repeat("z", 30)},
	} {
		id, err := newParser(t).Parse(identifier.Username, c.raw)
		require.NoError(t, err, c.raw)
		require.Equal(t, identifier.Stored(identifier.Username, c.canonical, c.canonical, c.raw), id)
		again, err := newParser(t).Parse(identifier.Username, id.Canonical())
		require.NoError(t, err)
		require.Equal(t, id.Canonical(), again.Canonical())
		require.Equal(t, id.Key(), again.Key())
	}
}

func TestUsernameRules(t *testing.T) {
	t.Parallel()
	whole := identifier.NoPosition
	for _, c := range []struct {
		raw  string
		want []broken
	}{
		{"", []broken{{identifier.TooShort, whole}}},
		{"ab", []broken{{identifier.TooShort, whole}}},
		{"éé", []broken{{identifier.TooShort, whole}, {identifier.InvalidCharacter, 0}}},
		{strings.Repeat("a", 31), []broken{{identifier.TooLong, whole}}},
		{strings.Repeat("a", 30) + ".", []broken{{identifier.TooLong, whole}}},
		{strings.Repeat("é", 30), []broken{{identifier.InvalidCharacter, 0}}},
		{"ali ce", []broken{{identifier.InvalidCharacter, 3}}},
		{"ali-ce-x", []broken{{identifier.InvalidCharacter, 3}}},
		{"ali\x00ce", []broken{{identifier.InvalidCharacter, 3}}},
		{"é!alice", []broken{{identifier.InvalidCharacter, 0}}},
		{".alice", []broken{{identifier.InvalidStart, 0}}},
		{"alice_", []broken{{identifier.InvalidEnd, 5}}},
		{"a..b", []broken{{identifier.RepeatedSeparator, 2}}},
		{"a._b", []broken{{identifier.RepeatedSeparator, 2}}},
		{"_", []broken{{identifier.TooShort, whole}, {identifier.InvalidStart, 0}, {identifier.InvalidEnd, 0}}},
		{"ab__", []broken{{identifier.RepeatedSeparator, 3}, {identifier.InvalidEnd, 3}}},
		{"éa\xffb", []broken{{identifier.InvalidCharacter, 0}, {identifier.NotUTF8, 2}}},
		{"\xe2\x84ab", []broken{{identifier.NotUTF8, 0}}},
		{"a\uFFFDb", []broken{{identifier.InvalidCharacter, 1}}},
		{
			"_é\xff..x_",
			[]broken{
				{identifier.InvalidStart, 0},
				{identifier.InvalidCharacter, 1},
				{identifier.NotUTF8, 2},
				{identifier.RepeatedSeparator, 4},
				{identifier.InvalidEnd, 6},
			},
		},
	} {
		require.Equal(t, c.want, brokenRules(t, identifier.Username, c.raw), "%q", c.raw)
	}
}

func TestUsernameLookAlikesDoNotFold(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"\u212Aevin",             // Kelvin sign, lower case is k
		"mi\u017Fter",            // long s, upper case is S
		"\u0130stan",             // I with dot, lower case begins with i
		"d\u0131rk",              // dotless i, upper case is I
		"\uFF41lice",             // full-width a
		"ali\uFF0Ece",            // full-width full stop
		"alice\u200D",            // zero-width joiner
		"\u0430lice",             // Cyrillic a
		"alic\u00E9",             // composed
		"alice\u0301",            // combining
		"\U0001D41Alice",         // mathematical bold a
		"\u2460\u2461\u2462",     // circled digits
		"\u0661\u0662\u0663",     // Arabic-Indic digits
		"\ufeffalice",            // byte order mark
		"\u202Ealice\u202Calice", // bidirectional override
	} {
		found := brokenRules(t, identifier.Username, raw)
		require.Len(t, found, 1, "%q", raw)
		require.Equal(t, identifier.InvalidCharacter, found[0].rule, "%q", raw)
	}
}

func TestUsernameTakesNoCodePointButItsAlphabet(t *testing.T) {
	t.Parallel()
	alphabet := regexp.MustCompile(`^[A-Za-z0-9._]$`)
	p := newParser(t)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		_, err := p.Parse(identifier.Username, "ab"+string(r)+"yz")
		if (err == nil) != (r < 0x80 && alphabet.MatchString(string(r))) {
			t.Fatalf("%U: %v", r, err)
		}
	}
}

func TestUsernameTakesNoSingleByteButItsAlphabet(t *testing.T) {
	t.Parallel()
	for b := 0x80; b <= 0xFF; b++ {
		raw := string([]byte{'a', 'b', byte(b), 'y', 'z'})
		require.Equal(t, []broken{{identifier.NotUTF8, 2}}, brokenRules(t, identifier.Username, raw))
	}
}

// Not parallel: what other tests allocate would count.
func TestFoldedUsernameAllocatesNothing(t *testing.T) {
	p := newParser(t)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := p.Parse(identifier.Username, "mary.ann_lee99"); err != nil {
			panic(err)
		}
	}))
}
