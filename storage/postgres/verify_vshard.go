package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

// vshardStates are what each database, by its index, says of the vshards it has.
type vshardStates []map[int16]string

// has says that a database answers for a vshard's rows, or had it last.
func (s vshardStates) has(i int, vshard int16) bool {
	return s[i][vshard] == owned || s[i][vshard] == frozen
}

// copies says that a database holds rows of a vshard that another one answers for.
func (s vshardStates) copies(i int, vshard int16) bool {
	return s[i][vshard] == incoming || s[i][vshard] == moved
}

// readVshards reads who has which vshard. What a database that does not answer said
// before still counts.
func (v *verifier) readVshards(ctx context.Context) error {
	claims, errs := v.routes.readClaims(ctx)
	for i, err := range errs {
		if err != nil {
			if err := v.miss(ctx, "vshards of database "+v.databases[i].name, err); err != nil {
				return err
			}
			continue
		}
		v.claims[i], v.vshards[i] = claims[i], map[int16]string{}
		for _, c := range claims[i] {
			v.vshards[i][c.Vshard] = c.State
		}
	}
	return nil
}

// seesAll says that every database has said what it owns.
func (v *verifier) seesAll() bool {
	return !slices.ContainsFunc(v.vshards, func(states map[int16]string) bool { return states == nil })
}

// verifyVshards looks for vshards that several databases own, or none. All that
// follows relies on who owns what as it was here.
func (v *verifier) verifyVshards(ctx context.Context) error {
	v.claims, v.vshards = make([][]claim, len(v.databases)), make(vshardStates, len(v.databases))
	if err := v.readVshards(ctx); err != nil {
		return err
	}
	for vshard := range int16(storage.Vshards) {
		if owners(v.claims, vshard) == 1 {
			continue
		}
		err := v.suspect(ctx, fmt.Sprintf("vshard %d", vshard), func(context.Context) (*finding, error) {
			return v.lookAtVshard(vshard), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// owners counts the databases that own a vshard; one that is on its way between two
// has one.
func owners(claims [][]claim, vshard int16) int {
	n, leaving, entering := 0, map[[16]byte]bool{}, map[[16]byte]bool{}
	for _, list := range claims {
		for _, c := range list {
			switch {
			case c.Vshard != vshard:
			case c.State == owned || c.State == frozen:
				n++
			case c.State == moved:
				leaving[c.MoveID] = true
			case c.State == incoming:
				entering[c.MoveID] = true
			}
		}
	}
	for id := range entering {
		if n == 0 && leaving[id] {
			n = 1
		}
	}
	return n
}

// lookAtVshard judges by what was read since the vshard was suspected.
func (v *verifier) lookAtVshard(vshard int16) *finding {
	n := owners(v.claims, vshard)
	switch {
	case n > 1:
		return newFinding(storage.TwoOwnersOfVshard, "vshard %d: %s", vshard, v.namesOf(func(i int) bool { return v.vshards.has(i, vshard) }))
	case n == 0 && v.seesAll():
		return newFinding(storage.NoOwnerOfVshard, "vshard %d", vshard)
	}
	return nil
}

// namesOf lists the databases, by index, of which something is so.
func (v *verifier) namesOf(so func(i int) bool) []string {
	var names []string
	for i, d := range v.databases {
		if so(i) {
			names = append(names, d.name)
		}
	}
	return names
}

// strayTables are looked at by vshard alone.
var strayTables = []string{"requests", "accounts"}

// vshardsOfSQL lists the vshards of a table's rows that the database does not have,
// without reading all rows: it steps from each vshard to the next.
const vshardsOfSQL = `
WITH RECURSIVE place AS (
	(SELECT t.vshard FROM %[1]s t ORDER BY t.vshard LIMIT 1)
	UNION ALL
	SELECT (SELECT t.vshard FROM %[1]s t WHERE t.vshard > p.vshard ORDER BY t.vshard LIMIT 1) FROM place p WHERE p.vshard IS NOT NULL
)
SELECT p.vshard FROM place p
LEFT JOIN LATERAL (SELECT true AS here FROM vshards v WHERE v.vshard = p.vshard LIMIT 1) v ON true
WHERE p.vshard IS NOT NULL AND v.here IS NULL`

// verifyStrays looks for requests and accounts in a database that does not have
// their vshard.
func (v *verifier) verifyStrays(ctx context.Context) error {
	for _, d := range v.databases {
		for _, table := range strayTables {
			if err := v.verifyStraysOf(ctx, d, table); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) verifyStraysOf(ctx context.Context, d *database, table string) error {
	about := fmt.Sprintf("%s of database %s", table, d.name)
	vshards, err := v.strayVshards(ctx, d, table)
	if err != nil {
		return v.miss(ctx, about, err)
	}
	for _, vshard := range vshards {
		err := v.suspect(ctx, about, func(ctx context.Context) (*finding, error) {
			f := newFinding(storage.Astray, "%s of vshard %d in database %s", table, vshard, d.name)
			err := v.read(ctx, d, scanOne(&f.count), `SELECT count(*) FROM `+table+` t WHERE t.vshard = $1
				AND NOT EXISTS (SELECT FROM vshards v WHERE v.vshard = $1)`, vshard)
			if err != nil || f.count == 0 {
				return nil, err
			}
			return f, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) strayVshards(ctx context.Context, d *database, table string) (list []int16, err error) {
	err = v.read(ctx, d, func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, pgx.RowTo[int16])
		return err
	}, fmt.Sprintf(vshardsOfSQL, table))
	return list, err
}
