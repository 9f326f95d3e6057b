package main

import (
	"context"
	"regexp"
	"slices"
	"time"
)

// work is something whose speed is measured.
type work struct {
	name string
	// prepare is called before each sample.
	prepare func(context.Context) error
	// run does the work for a time.
	run func(context.Context, time.Duration) (sample, error)
}

// on says in the name where the work is done.
func (w work) on(where string) work {
	w.name += ", " + where
	return w
}

// comparison is several works measured in turn. The first one is the unit of the
// others' ratios.
type comparison struct {
	unit  string // what the unit is called in a ratio
	works []work
}

// plan is all that can be measured. Databases are made, names imported and
// servers started at their first use.
func (l *lab) plan(names uint64) []comparison {
	one := &registry{lab: l, name: "one", parts: 1, names: fewNames, anew: true}
	small := &registry{lab: l, name: "small", parts: 2, names: fewNames, anew: true}
	large := &registry{lab: l, name: "large", parts: 2, names: names}
	plan := []comparison{
		{"pgbench", []work{
			l.pgbench(1), reserve128(one).on("one database"), reserve512(one).on("one database"),
			reserve128(small), reserve512(small), lose(small),
			reserveHTTP(one).on("one database"), reserveHTTP(small),
		}},
		{"JSON echo", []work{l.echo(connections), check(one).on("one database"), check(small)}},
	}
	plan = append(plan, l.planOfLayers()...)
	plan = append(plan, l.planOfHammer()...)
	plan = append(plan, l.planOfChanges(one, small)...)
	for _, workOn := range []func(*registry) work{reserve128, reserve512, check, reserveHTTP} {
		plan = append(plan, comparison{"empty tables", []work{
			workOn(small).on("empty tables"),
			workOn(large).on(grouped(names) + " names"),
		}})
	}
	return plan
}

// planOfChanges measures changes of accounts beside transactions that write as many
// rows, and reserves beside a sweep.
func (l *lab) planOfChanges(one, two *registry) []comparison {
	swept := &registry{lab: l, name: "swept", parts: 1, names: fewNames, anew: true, alone: true}
	return []comparison{
		{"pgbench", []work{l.pgbench(confirmRows), confirm(one).on("one database")}},
		{"pgbench", []work{l.pgbench(confirmRowsOfTwo), confirm(two)}},
		{"pgbench", []work{l.pgbench(renameRows), rename(one).on("one database")}},
		{"pgbench", []work{l.pgbench(renameRowsOfTwo), rename(two)}},
		{"reserve without a sweep", []work{
			reserve128(swept).on("without a sweep"), reserveBesideSweep(swept),
		}},
	}
}

// choose leaves only the works whose names match, each with its unit.
func choose(plan []comparison, only *regexp.Regexp) []comparison {
	var chosen []comparison
	for _, c := range plan {
		unit, others := c.works[0], c.works[1:]
		others = slices.DeleteFunc(slices.Clone(others), func(w work) bool { return !only.MatchString(w.name) })
		if len(others) > 0 || only.MatchString(unit.name) {
			chosen = append(chosen, comparison{c.unit, append([]work{unit}, others...)})
		}
	}
	return chosen
}
