// Package bulk takes names that exist already over into the registry, from a
// stream of lines. Memory stays bounded whatever the length of the stream, and
// an import that broke off is finished by repeating it.
package bulk
