package app

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode"

	"namegate/gateway/registry"
	"namegate/storage/identifier"
)

// readParser makes the parser of the secret in a file of one line.
func readParser(path string) (*identifier.Parser, error) {
	secrets, err := readSecrets(path)
	if err != nil {
		return nil, fmt.Errorf("read identifier secret: %w", err)
	}
	if len(secrets) != 1 {
		return nil, fmt.Errorf("read identifier secret: %s has %d lines, not one", path, len(secrets))
	}
	parser, err := identifier.NewParser(secrets[0])
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return parser, nil
}

// readKeyring makes the keyring of a file with one key a line, newest first.
func readKeyring(path string) (*registry.Keyring, error) {
	secrets, err := readSecrets(path)
	if err != nil {
		return nil, fmt.Errorf("read token keys: %w", err)
	}
	keys, err := registry.NewKeyring(secrets...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return keys, nil
}

// readSecrets gives the lines of a file that are not blank, without the white
// space around them, which an editor may add or drop unseen.
func readSecrets(path string) ([][]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecrets+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxSecrets:
		return nil, fmt.Errorf("%s is longer than %d KiB", path, maxSecrets>>10)
	}
	var secrets [][]byte
	for line := range bytes.Lines(text) {
		secret := bytes.TrimSpace(line)
		if bytes.ContainsFunc(secret, unicode.IsControl) {
			return nil, fmt.Errorf("%s has control characters: it must be text, as of `openssl rand -hex 32`", path)
		}
		if len(secret) > 0 {
			secrets = append(secrets, secret)
		}
	}
	return secrets, nil
}

// maxSecrets is the most bytes that a file of secrets has.
const maxSecrets = 64 << 10

// makeSecret writes a new random secret of 256 bits to path unless there is one.
// It is written aside and then linked, so that no crash leaves half a secret and
// of two makers one wins.
func makeSecret(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // mode 0600
	if err != nil {
		return fmt.Errorf("make secret: %w", err)
	}
	defer os.Remove(aside.Name())
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	_, err = fmt.Fprintln(aside, hex.EncodeToString(secret[:]))
	if err = errors.Join(err, aside.Sync(), aside.Close()); err != nil {
		return fmt.Errorf("make secret: %w", err)
	}
	if err := os.Link(aside.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make secret: %w", err)
	}
	return nil
}
