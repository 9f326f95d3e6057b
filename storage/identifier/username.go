package identifier

import "strings"

// usernameForm is the alphabet of Instagram, the narrowest of the large sites:
// a name that fits here fits there.
var usernameForm = form{least: 3, most: 30, separators: true, alphabet: "a-z, 0-9, . and _"}

// parseUsername folds A-Z. A name that is folded already is its own key, so the
// common case allocates nothing.
func parseUsername(raw string) (Identifier, error) {
	if !usernameForm.fits(raw) {
		return Identifier{}, &FormError{Violations: usernameForm.judge(raw)}
	}
	canonical := strings.ToLower(raw)
	return Identifier{kind: Username, key: canonical, canonical: canonical, display: raw}, nil
}
