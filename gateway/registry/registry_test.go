package registry_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage/identifier"
)

// Times of the two clocks; they differ so that tests can tell who dated an answer.
var (
	databaseTime = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	gatewayTime  = databaseTime.Add(-7 * time.Hour)
)

const (
	ttl       = 15 * time.Minute
	requestID = "4f0c2d6e-6a0f-4b58-9d0e-2f6f6f0f6a11"
)

// stubParser folds to lower case. A value with a space breaks a rule; the key
// leaves dots out, so that "a.b" and "ab" are look-alikes.
type stubParser struct{}

func (stubParser) Parse(kind identifier.Kind, raw string) (identifier.Identifier, error) {
	if at := strings.Index(raw, " "); at >= 0 {
		return identifier.Identifier{}, &identifier.FormError{Violations: []identifier.Violation{
			{Rule: identifier.InvalidCharacter, Message: "no spaces", Position: at},
		}}
	}
	canonical := strings.ToLower(raw)
	return identifier.Stored(kind, strings.ReplaceAll(canonical, ".", ""), canonical, raw), nil
}

// stubPolicy bars the canonical forms that are its keys.
type stubPolicy map[string]bool

func (p stubPolicy) Refuses(id identifier.Identifier) bool { return p[id.Canonical()] }

type bundle struct {
	*registry.Registry
	store  *fakeStore
	policy stubPolicy
}

func setup(t *testing.T) bundle {
	t.Helper()
	b := bundle{store: newFakeStore(databaseTime), policy: stubPolicy{"root": true, "admin": true}}
	b.Registry = b.withKeys(t, oldSecret)
	return b
}

// withKeys is another replica on the same store.
func (b bundle) withKeys(t *testing.T, secrets ...[]byte) *registry.Registry {
	t.Helper()
	keys, err := registry.NewKeyring(secrets...)
	require.NoError(t, err)
	return registry.New(b.store, stubParser{}, b.policy, keys, registry.Options{
		TTL:   ttl,
		Clock: func() time.Time { return gatewayTime },
	})
}

var (
	oldSecret = bytes.Repeat([]byte{1}, registry.MinKey)
	newSecret = bytes.Repeat([]byte{2}, registry.MinKey)
)

// username is what the parser of these tests makes of a name.
func username(t *testing.T, name string) identifier.Identifier {
	t.Helper()
	id, err := stubParser{}.Parse(identifier.Username, name)
	require.NoError(t, err)
	return id
}
