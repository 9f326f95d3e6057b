// Package suggest makes usernames out of what a person typed: those that people would
// pick themselves, the best first. It knows nothing of who has which name.
//
// Words that are there are joined in the ways that names are joined; a single word gets a
// short companion; numbers come last, and are short, as people choose them. Text in other
// scripts is transliterated, and of text without any letter nothing is kept: friendly words
// stand in. The same text gives the same names, so that a list does not change under a
// person who is still typing.
package suggest
