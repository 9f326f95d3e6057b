package identifier_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

// Reading a value of this size takes a millisecond or more, reading as far as
// its limit a microsecond.
const hostileSize = 16 << 20

func TestHugeValuesAreRefusedWithoutReadingThem(t *testing.T) {
	t.Parallel()
	p := newParser(t)
	for _, unit := range []string{"a", "A", ".", "\x00", "\xff", "é", "1", "+", "a@", "\u202e"} {
		raw := strings.Repeat(unit, hostileSize/len(unit))
		for _, kind := range identifier.Kinds() {
			start := time.Now()
			for range 2000 {
				_, err := p.Parse(kind, raw)
				if err == nil {
					t.Fatalf("%s took %d times %q", kind, len(raw), unit)
				}
			}
			require.Less(t, time.Since(start), time.Second, "%s of %q", kind, unit)
		}
	}
}

func TestRefusalNeverRepeatsTheValue(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"zq-zq", "zqzq@", "+zqzq", "zqzq\x00", "zqzq\xff", strings.Repeat("zqzq", 100)} {
		for _, kind := range identifier.Kinds() {
			_, err := newParser(t).Parse(kind, raw)
			var form *identifier.FormError
			require.ErrorAs(t, err, &form)
			require.NotContains(t, err.Error(), "zq")
			for _, v := range form.Violations {
				require.NotContains(t, v.Message, "zq")
			}
		}
	}
}

func TestFormErrorNamesRules(t *testing.T) {
	t.Parallel()
	_, err := newParser(t).Parse(identifier.Username, "_")
	require.EqualError(t, err, "value breaks rules of form: TOO_SHORT, INVALID_START, INVALID_END")
}
