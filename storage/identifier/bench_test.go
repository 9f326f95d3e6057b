package identifier_test

import (
	"strings"
	"testing"

	"namegate/storage/identifier"
)

func BenchmarkParse(b *testing.B) {
	huge := strings.Repeat("a", 1<<20)
	for _, c := range []struct {
		name string
		kind identifier.Kind
		raw  string
	}{
		{"username/folded", identifier.Username, "mary.ann_lee99"},
		{"username/mixed", identifier.Username, "Mary.Ann_Lee99"},
		{"username/refused", identifier.Username, "mary ann lee99"},
		{"username/1MB", identifier.Username, huge},
		{"email", identifier.Email, "jane.doe@example.com"},
		{"email/1MB", identifier.Email, huge},
		{"phone", identifier.Phone, "+1 (415) 555-2671"},
		{"license", identifier.License, "A1B2C3D4"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newParser(b)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Parse(c.kind, c.raw)
			}
		})
	}
}

func BenchmarkPolicyRefuses(b *testing.B) {
	id, err := newParser(b).Parse(identifier.Username, "mary.ann_lee99")
	if err != nil {
		b.Fatal(err)
	}
	policy := identifier.NewPolicy(nil)
	b.ReportAllocs()
	for b.Loop() {
		_ = policy.Refuses(id)
	}
}
