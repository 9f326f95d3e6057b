package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/suggest"
	"namegate/storage/identifier"
)

// first are the first names for a text.
func first(text string, n int) (list []string) {
	for name := range suggest.Names(text) {
		if list = append(list, name); len(list) == n {
			break
		}
	}
	return list
}

// What a person would think of first.
func TestTheFirstNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Ada Lovelace":                     {"ada.lovelace", "adalovelace", "ada_lovelace", "a.lovelace", "alovelace", "ada.l"},
		"ada_lovelace":                     {"ada.lovelace", "adalovelace", "ada_lovelace"},
		"Jürgen Müller":                    {"jurgen.muller", "jurgenmuller", "jurgen_muller"},
		"Иван Петров":                      {"ivan.petrov", "ivanpetrov", "ivan_petrov"},
		"李小龙":                              {"li.xiao.long", "lixiaolong"},
		"O’Brien":                          {"obrien"},
		"José":                             {"jose"},
		"max99":                            {"max99", "max"},
		"ada@example.com":                  {"ada"},
		"Ada!!!":                           {"ada"},
		"Anna Maria Theresia von Habsburg": {"anna.maria.theresia", "annamariatheresia", "anna.theresia"},
	} {
		require.Equal(t, want, first(text, len(want)), text)
	}
}

// A single word that is taken gets companions and short numbers in turn.
func TestASingleWord(t *testing.T) {
	t.Parallel()
	names := first("ada", 100)
	require.Equal(t, "ada", names[0])
	require.Regexp(t, `^(its|hey|the|just|im)\.ada$`, names[1])
	require.Regexp(t, `^ada[1-9][0-9]?$`, names[2])
	require.Greater(t, len(names), 15)
	for _, name := range names {
		require.Regexp(t, `^[a-z._]+[0-9]{0,2}$`, name, "no long tails of digits")
	}
}

func TestTextWithoutLetters(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "   ", "🎉🎉", "...", "\xff\xfe"} {
		names := first(text, 5)
		require.Len(t, names, 5, "%q", text)
		for _, name := range names {
			require.Regexp(t, `^[a-z]+\.[a-z]+$`, name)
		}
	}
	require.NotEqual(t, first("🎉", 5), first("🦊", 5), "others for others")
}

func TestTheSameTextGivesTheSameNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, first("ada", 50), first("ada", 50))
}

// FuzzNames: whatever the text, each name is one, as the parser of names has it, and comes once.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"ada", "Ada Lovelace", "", "1", "12345", "a.b.c.d", "averyverylongname.indeed.it.is.so.long", "محمد", "\xff@", "@", "''", strings.Repeat("李", 500), strings.Repeat("a", 500), "._._", "9 9"} {
		f.Add(seed)
	}
	parser, err := identifier.NewParser([]byte("0123456789abcdef"))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		names := first(text, 100)
		require.NotEmpty(t, names)
		require.Less(t, len(names), 50)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
		for _, name := range names {
			id, err := parser.Parse(identifier.Username, name)
			require.NoError(t, err, name)
			require.Equal(t, name, id.Canonical())
		}
	})
}

func BenchmarkNames(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		first("Ada Lovelace", 20)
	}
}
