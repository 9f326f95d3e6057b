package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	plan := []comparison{
		{"ruler", []work{{name: "ruler"}, {name: "one"}, {name: "two"}}},
		{"scale", []work{{name: "scale"}, {name: "one of many"}}},
	}
	for only, want := range map[string][][]string{
		"":      {{"ruler", "one", "two"}, {"scale", "one of many"}},
		"one":   {{"ruler", "one"}, {"scale", "one of many"}},
		"^two$": {{"ruler", "two"}},
		"scale": {{"scale"}},
		"three": nil,
	} {
		t.Run(only, func(t *testing.T) {
			t.Parallel()
			var got [][]string
			for _, c := range choose(plan, regexp.MustCompile(only)) {
				var names []string
				for _, w := range c.works {
					names = append(names, w.name)
				}
				got = append(got, names)
			}
			require.Equal(t, want, got)
		})
	}
	require.Equal(t, "two", plan[0].works[2].name, "the plan stays whole")
}

// A name says what to measure by -only, so no two works can share one.
func TestNamesOfThePlanDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range (&lab{}).plan(10_000_000) {
		for _, w := range c.works {
			require.False(t, seen[w.name], w.name)
			seen[w.name] = true
		}
	}
	require.True(t, seen["reserve through storage, 512 callers, 10,000,000 names"])
}
