package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

var update = flag.Bool("update", false, "write docs/flags.md")

const (
	flagsDocument = "../docs/flags.md"
	// What stands above this line is written by hand.
	flagsMark = "<!-- Made from the program by: go test ./gateway -run TestFlagsDocument -update -->\n"
)

func newTestParser(t *testing.T, c *commands) *kong.Kong {
	t.Helper()
	parser, err := newParser(c, streams{out: io.Discard, err: io.Discard})
	require.NoError(t, err)
	return parser
}

// TestFlagsDocument compares the document with the flags, word for word.
func TestFlagsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(flagsDocument)
	require.NoError(t, err)
	byHand, fromProgram, ok := strings.Cut(string(text), flagsMark)
	require.True(t, ok, "the mark is missing")
	want := describe(newTestParser(t, &commands{}).Model)
	if *update {
		require.NoError(t, os.WriteFile(flagsDocument, []byte(byHand+flagsMark+want), 0o644))
		return
	}
	require.Equal(t, want, fromProgram)
}

// describe lists every command with its flags, as Markdown.
func describe(model *kong.Application) string {
	var b strings.Builder
	for _, command := range model.Children {
		fmt.Fprintf(&b, "\n## gateway %s\n\n%s\n", command.Name, command.Help)
		for _, argument := range command.Positional {
			fmt.Fprintf(&b, "\n`%s`: %s\n", strings.ToUpper(argument.Name), argument.Help)
		}
		if len(command.Flags) > 0 {
			b.WriteString("\n| Flag | Variable | Default | Meaning |\n| --- | --- | --- | --- |\n")
		}
		for _, f := range command.Flags {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", spelling(f), strings.Join(f.Envs, ", "), code(f.Default), f.Help)
		}
	}
	return b.String()
}

func spelling(f *kong.Flag) string {
	switch {
	case f.Tag.Negatable != "":
		return "--[no-]" + f.Name
	case f.Enum != "":
		return "--" + f.Name + " " + strings.ReplaceAll(f.Enum, ",", `\|`)
	case f.PlaceHolder != "":
		return "--" + f.Name + " " + f.PlaceHolder
	default:
		return "--" + f.Name + " …" // the default shows the form
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// Not parallel: the variables are those of the process.
func TestVariablesStandInForFlags(t *testing.T) {
	t.Setenv("NAMEGATE_DATABASE", "one=postgres://u@h1,h2/db?x=y;two=host=h dbname=db")
	t.Setenv("NAMEGATE_IDENTIFIER_SECRET_FILE", "secret")
	t.Setenv("NAMEGATE_QUERY_MODE", "exec")
	t.Setenv("NAMEGATE_PLAYGROUND", "true")
	t.Setenv("NAMEGATE_JWT_KEY_FILE", "keys")
	t.Setenv("NAMEGATE_JWT_ISSUER", "https://login.example")
	t.Setenv("NAMEGATE_RESERVATION_TTL", "2m")

	var c commands
	_, err := newTestParser(t, &c).Parse([]string{"serve", "--reservation-ttl", "3m"})
	require.NoError(t, err)
	got := c.Serve.options(io.Discard)
	require.Equal(t, []app.Database{
		{Name: "one", DSN: "postgres://u@h1,h2/db?x=y"}, {Name: "two", DSN: "host=h dbname=db"},
	}, got.Named)
	require.Equal(t, "secret", got.IdentifierSecretFile)
	require.Equal(t, app.PlainQueries, got.QueryMode)
	require.Equal(t, "keys", got.JWTKeyFile)
	require.Equal(t, app.JWT{Issuer: "https://login.example", Audience: "namegate"}, got.JWT)
	require.Equal(t, "3m0s", got.ReservationTTL.String(), "the flag wins")
	require.True(t, c.Serve.Playground)
	require.False(t, c.Serve.Introspection)

	c = commands{}
	_, err = newTestParser(t, &c).Parse([]string{
		"serve", "--database", "a=dbname=a", "--database", "b=dbname=b", "--no-playground",
	})
	require.NoError(t, err)
	require.Len(t, c.Serve.Database, 2, "and replaces the whole list")
	require.Equal(t, "a", c.Serve.Database[0].Name)
	require.False(t, c.Serve.Playground)
}
