package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"namegate/gateway/auth"
)

// JWT is what access tokens must name.
type JWT struct {
	// Issuer is their iss and Audience their aud, or one of several.
	Issuer, Audience string
}

// Validate returns all that is wrong, joined.
func (j JWT) Validate() error {
	var errs []error
	if j.Issuer == "" {
		errs = append(errs, errors.New("--jwt-issuer must not be empty"))
	}
	if j.Audience == "" {
		errs = append(errs, errors.New("--jwt-audience must not be empty"))
	}
	return errors.Join(errs...)
}

func (j JWT) options() auth.Options {
	return auth.Options{Issuer: j.Issuer, Audience: j.Audience, Clock: time.Now}
}

// openCallers makes what tells callers by their access tokens: the keys of the
// file and, for a demonstration, its own.
func (r *Replica) openCallers() (err error) {
	var keys []auth.Key
	if r.opts.JWTKeyFile != "" {
		if keys, err = readKeys(r.opts.JWTKeyFile); err != nil {
			return fmt.Errorf("--jwt-key-file: %w", err)
		}
	}
	if r.opts.Demo {
		if r.demo, err = r.opts.openDemo(); err != nil {
			return err
		}
		keys = append(keys, r.demo.Key())
	}
	if len(keys) == 0 {
		r.log.Warn("no key for access tokens is configured (--jwt-key-file); fields that need a role are refused")
	}
	if r.callers, err = auth.NewVerifier(keys, r.opts.JWT.options()); err != nil {
		return fmt.Errorf("--jwt-key-file: %w", err)
	}
	return nil
}

func readKeys(path string) ([]auth.Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys, err := auth.ParseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// openDemo reads the key of the demonstration, and makes it when it is not there.
func (o Options) openDemo() (*auth.Demo, error) {
	if err := makeDataDir(o.DataDir); err != nil {
		return nil, err
	}
	if err := makeSecret(demoKeyFile(o.DataDir)); err != nil {
		return nil, err
	}
	return readDemo(o.DataDir, o.JWT)
}

func demoKeyFile(dir string) string { return filepath.Join(dir, "demo-key") }

func readDemo(dir string, tokens JWT) (*auth.Demo, error) {
	path := demoKeyFile(dir)
	secrets, err := readSecrets(path)
	if err != nil {
		return nil, fmt.Errorf("read demo key: %w", err)
	}
	if len(secrets) != 1 {
		return nil, fmt.Errorf("read demo key: %s has %d lines, not one", path, len(secrets))
	}
	demo, err := auth.NewDemo(secrets[0], tokens.options())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return demo, nil
}

// Grant is what an access token allows, to whom and for how long.
type Grant = auth.Grant

// DemoToken signs an access token with the demo key in a data folder, which a
// replica with Demo made there.
func DemoToken(dir string, tokens JWT, grant Grant) (string, error) {
	demo, err := readDemo(dir, tokens)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s has no demo key: `gateway dev`, or `gateway serve --demo`, makes one; choose another folder by --data-dir", dir)
	}
	if err != nil {
		return "", err
	}
	return demo.Token(grant)
}

// checkDemo keeps a demonstration to this machine: whoever reaches it can act as
// any account.
func (r *Replica) checkDemo() error {
	if !r.opts.Demo {
		return nil
	}
	return errors.Join(requireLoopback("--http", r.http), requireLoopback("--admin", r.admin))
}

func requireLoopback(flag string, l net.Listener) error {
	if address, ok := l.Addr().(*net.TCPAddr); ok && address.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s %s can be reached from other machines, and with --demo whoever reaches it can act as any account: "+
		"listen on 127.0.0.1 or [::1], or give --no-demo", flag, l.Addr())
}
