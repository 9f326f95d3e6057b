package identifier

import "strings"

// licenseForm takes the numbers of any issuer: some count from 1, and the upper
// bound is that of every private value.
var licenseForm = form{least: 1, most: maxPrivate, alphabet: "letters A-Z and digits"}

// licenseValue folds a-z. Spaces and hyphens are refused rather than dropped, as
// for some issuers they tell numbers apart.
func licenseValue(raw string) (string, violations) {
	if !licenseForm.fits(raw) {
		return "", licenseForm.judge(raw)
	}
	return strings.ToUpper(raw), nil
}
