package rediscache

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// namespace is what all keys of a registry begin with. What stands in braces decides the
// slot of a Cluster, so that one script may use all keys of a name, or all of control.
type namespace string

// newNamespace keeps registries apart, and layouts of keys and entries.
func newNamespace(prefix string, fingerprint []byte) namespace {
	return namespace(prefix + ":" + hex.EncodeToString(fingerprint) + ":" + strconv.Itoa(format) + ":")
}

// entry is the key of a name's entry. Usernames are public.
func (n namespace) entry(name string) string { return string(n) + "{" + name + "}:e" }

// nameOf is the name of an entry's key.
func (n namespace) nameOf(key string) string {
	return strings.TrimSuffix(strings.TrimPrefix(key, string(n)+"{"), "}:e")
}

// trio are the keys of a name: entry, tombstone, lease.
func (n namespace) trio(name string) []string {
	stem := strings.TrimSuffix(n.entry(name), "e")
	return []string{stem + "e", stem + "t", stem + "l"}
}

func (n namespace) control(what string) string { return string(n) + "{control}:" + what }

func (n namespace) generation() string              { return n.control("generation") }
func (n namespace) beat() string                    { return n.control("beat") }
func (n namespace) position(database string) string { return n.control("position:" + database) }
func (n namespace) lock(database string) string     { return n.control("lock:" + database) }
