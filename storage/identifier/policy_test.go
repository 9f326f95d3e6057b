package identifier_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func username(t testing.TB, raw string) identifier.Identifier {
	t.Helper()
	id, err := newParser(t).Parse(identifier.Username, raw)
	require.NoError(t, err, raw)
	return id
}

func policyOf(t testing.TB, operator string) *identifier.Policy {
	t.Helper()
	words, err := identifier.ParseWords(strings.NewReader(operator))
	require.NoError(t, err)
	return identifier.NewPolicy(words)
}

func TestPolicyRefusesReservedWords(t *testing.T) {
	t.Parallel()
	policy := policyOf(t, "")
	for _, raw := range []string{
		"admin", "Admin", "ROOT", "support", "api", "www", "login", "postmaster", "abuse", "noc", "graphql",
		"robots.txt", "namegate", "namegate_help", "NameGateTeam", "administrator2", "admin.de", "support_team", "no.reply1",
	} {
		require.True(t, policy.Refuses(username(t, raw)), raw)
	}
}

func TestPolicyMatchesWordsWhole(t *testing.T) {
	t.Parallel()
	policy := policyOf(t, "")
	for _, raw := range []string{"ad.min", "admin1", "badmin", "my.admin", "apis", "rooted", "joe.root", "supporter", "namegat"} {
		require.False(t, policy.Refuses(username(t, raw)), raw)
	}
}

func TestPolicyLeavesNamesOfPeopleAndPlaces(t *testing.T) {
	t.Parallel()
	policy := policyOf(t, "")
	for _, raw := range strings.Fields(`
		smith jones taylor brown williams wilson johnson davies patel wright walker white
		page price post mark bill chase cook law store day may june april august summer
		garcia rodriguez martinez hernandez lopez gonzalez silva santos oliveira pereira
		mueller schmidt schneider fischer weber meyer wagner becker hoffmann koch richter
		wang chen zhang nguyen tran kim park choi tanaka suzuki yamamoto singh kumar khan
		ivanov petrov novak kowalski nowak horvath popescu dimitrov hansen johansson virtanen
		adminov mailer.smith masters webb webster host hostetler noreen norris null.island
		london paris berlin tokyo madrid roma wien praha sydney boston reading bath nice
		admiraal rootes rothe supple  teamer helper systemson stafford
	`) {
		require.False(t, policy.Refuses(username(t, raw)), raw)
	}
}

func TestPolicyAddsTheOperatorsWords(t *testing.T) {
	t.Parallel()
	policy := policyOf(t, "acme\nAcme_*\nshop*\nshopping*\nshop.floor\nsho*\nzeta*\n")
	for _, raw := range []string{"acme", "ACME", "acme_x", "sho", "shop", "shopper", "shoptalk", "shopping.mall", "shop.floor", "zeta", "zeta9", "admin"} {
		require.True(t, policy.Refuses(username(t, raw)), raw)
	}
	for _, raw := range []string{"acmes", "acm", "acme.x", "shared", "zet", "zfs", "yeti", "zz9"} {
		require.False(t, policy.Refuses(username(t, raw)), raw)
	}
}

func TestPolicyConcernsUsernamesOnly(t *testing.T) {
	t.Parallel()
	license, err := newParser(t).Parse(identifier.License, "ADMIN")
	require.NoError(t, err)
	require.False(t, policyOf(t, "").Refuses(license))
	require.False(t, policyOf(t, "").Refuses(identifier.Stored(identifier.Email, "admin", "admin", "admin")))
}

// Not parallel: what other tests allocate would count.
func TestPolicyAllocatesNothing(t *testing.T) {
	policy := policyOf(t, "")
	free, barred := username(t, "mary.ann_lee99"), username(t, "namegate99")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if policy.Refuses(free) || !policy.Refuses(barred) {
			panic("wrong answer")
		}
	}))
}

// A word in the core list that is no username, or stands there twice, is a slip.
func TestCoreListIsTidy(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("reserved.txt")
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		word := strings.TrimSpace(line)
		if word == "" || word[0] == '#' {
			continue
		}
		require.False(t, seen[word], word)
		seen[word] = true
		text, prefix := strings.CutSuffix(word, "*")
		if prefix {
			require.GreaterOrEqual(t, len(text), 6, word)
			text += "x"
		}
		require.Equal(t, text, username(t, text).Canonical(), word)
	}
	require.Greater(t, len(seen), 250)
}
