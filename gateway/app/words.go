package app

import (
	"fmt"
	"os"
	"sync/atomic"

	"namegate/storage/identifier"
)

// reservedWords is the policy in force: the embedded list and that of a file. It
// is safe for concurrent use.
type reservedWords struct {
	path   string // "" for the embedded list alone
	policy atomic.Pointer[identifier.Policy]
}

// Refuses reports whether nobody may have id.
func (w *reservedWords) Refuses(id identifier.Identifier) bool {
	return w.policy.Load().Refuses(id)
}

// read puts the list of the file in force. A file with a broken line is refused
// as a whole, and what was in force stays.
func (w *reservedWords) read() error {
	words, err := w.operatorWords()
	if err != nil {
		return err
	}
	w.policy.Store(identifier.NewPolicy(words))
	return nil
}

func (w *reservedWords) operatorWords() ([]identifier.Word, error) {
	if w.path == "" {
		return nil, nil
	}
	file, err := os.Open(w.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	words, err := identifier.ParseWords(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.path, err)
	}
	return words, nil
}
