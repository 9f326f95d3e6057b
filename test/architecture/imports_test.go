package architecture

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "namegate"

// edges says what of ours a package and those below it may import; the longest
// prefix counts. What is not listed may import nothing of ours.
var edges = map[string][]string{
	"gateway":                      {"gateway/app", "gateway/bulk", "gateway/ratelimit", "gateway/verify", "storage"},
	"gateway/app":                  {"gateway", "graph", "storage", "migrations", "bloomnet"},
	"gateway/registry":             {"gateway/suggest", "storage", "storage/identifier"},
	"gateway/suggest":              {},
	"gateway/verify":               {"gateway/registry", "storage", "storage/identifier"},
	"gateway/hotname":              {"storage", "storage/identifier", "storage/feed"},
	"gateway/cache":                {"gateway/registry", "storage", "storage/identifier", "storage/feed"},
	"gateway/auth":                 {"gateway/registry", "storage"},
	"gateway/bulk":                 {"storage", "storage/identifier"},
	"gateway/edge":                 {},
	"gateway/ratelimit":            {},
	"gateway/web":                  {},
	"graph":                        {"graph", "gateway/registry", "gateway/ratelimit", "storage", "storage/identifier"},
	"storage":                      {"storage/identifier"},
	"storage/identifier":           {},
	"storage/feed":                 {"storage", "storage/identifier"},
	"storage/postgres":             {"storage", "storage/identifier", "storage/feed", "migrations"},
	"storage/localpg":              {"storage/localpg"},
	"storage/rediscache":           {"storage", "storage/identifier", "storage/feed"},
	"storage/rediscache/redistest": {},
	"migrations":                   {},
	"bloomnet":                     {"bloomnet/bloom", "bloomnet/shard", "bloomnet/member", "bloomnet/transfer", "bloomnet/snapshot"},
	"bloomnet/bloom":               {},
	"bloomnet/littleendian":        {},
	"bloomnet/shard":               {"bloomnet/bloom", "bloomnet/littleendian"},
	"bloomnet/member":              {"bloomnet/littleendian"},
	"bloomnet/transfer":            {"bloomnet/transfer/wire", "bloomnet/littleendian"},
	"bloomnet/snapshot":            {"bloomnet/littleendian"},
	"test/bench-billion":           {"bloomnet/bloom"},
	"test/bench":                   {"storage", "storage/identifier", "storage/postgres", "storage/localpg"},
}

// owners says which packages may import a library.
var owners = map[string][]string{
	"github.com/jackc/pgx":        {"storage/postgres"},
	"github.com/99designs/gqlgen": {"graph"},
	"github.com/vektah/gqlparser": {"graph"},
	"github.com/go-jose/go-jose":  {"gateway/auth"},
	"github.com/alecthomas/kong":  {"gateway"},
	"github.com/nyaruka/":         {"storage/identifier"},
	"golang.org/x/net":            {"storage/identifier"},
	"github.com/stretchr/testify": {"storage/storagetest", "storage/localpg/pgtest", "storage/rediscache/redistest"},
	"go.uber.org/goleak":          {},
	"github.com/hashicorp/":       {"bloomnet"},
	"github.com/zeebo/xxh3":       {"bloomnet/bloom"},
	"github.com/bits-and-blooms":  {"test/bench-billion"},
	"github.com/redis/go-redis":   {"storage/rediscache"},
	"github.com/mozillazg/":       {"gateway/suggest"},
	"github.com/maypok86/otter":   {"gateway/cache"},
	"testing":                     {"storage/storagetest", "storage/localpg/pgtest", "storage/rediscache/redistest"},
}

type listed struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

// packages are all packages of the module.
func packages(t *testing.T) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", module+"/...")
	command.Stderr = t.Output()
	out, err := command.Output()
	require.NoError(t, err)
	var list []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return list
		} else {
			require.NoError(t, err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		importer := ours(p.ImportPath)
		for _, path := range p.Imports {
			if imported, ok := strings.CutPrefix(path, module+"/"); ok {
				require.True(t, mayImport(importer, imported), "%s imports %s", importer, imported)
			}
			require.True(t, mayUse(importer, path), "%s imports %s, which other packages own", importer, path)
		}
	}
}

// generated packages are made by gqlgen, which writes no package comment.
var generated = map[string]bool{module + "/graph/gen": true}

func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && !generated[p.ImportPath] {
			require.NotEmpty(t, p.Doc, p.ImportPath)
		}
	}
}

func ours(path string) string { return strings.TrimPrefix(path, module+"/") }

// mayImport says whether the table has the edge. A suite of tests may import
// what the package it serves may.
func mayImport(importer, imported string) bool {
	if importer == "storage/storagetest" {
		importer = "storage/postgres"
	}
	rule := longest(importer)
	if rule == "gateway/app" {
		return slices.ContainsFunc(edges[rule], func(allowed string) bool { return within(imported, allowed) }) && imported != "gateway"
	}
	if rule == "graph" && within(imported, "graph") || rule == "storage/localpg" && within(imported, rule) {
		return true
	}
	return slices.Contains(edges[rule], imported)
}

// longest is the rule for a package.
func longest(importer string) string {
	rule := ""
	for prefix := range edges {
		if within(importer, prefix) && len(prefix) > len(rule) {
			rule = prefix
		}
	}
	return rule
}

func mayUse(importer, library string) bool {
	for prefix, allowed := range owners {
		if library == prefix || strings.HasPrefix(library, prefix+"/") || strings.HasSuffix(prefix, "/") && strings.HasPrefix(library, prefix) {
			return slices.ContainsFunc(allowed, func(owner string) bool { return within(importer, owner) })
		}
	}
	return true
}

func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
