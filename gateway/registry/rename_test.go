package registry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func renameTo(to, n string) registry.RenameInput {
	return registry.RenameInput{Request: by(ann, n), To: to}
}

// renamer is a registry in which ann has the name ada.
func renamer(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.store.give("ann", username(t, "ada"), storage.Active)
	return b
}

func TestRename(t *testing.T) {
	t.Parallel()
	b := renamer(t)
	got, err := b.Rename(t.Context(), renameTo("Lace", "1"))
	require.NoError(t, err)
	require.Equal(t, storage.Renamed{
		Holding: storage.Holding{Identifier: username(t, "Lace"), State: storage.Active, Owner: "ann", Since: databaseTime},
		Former: &storage.Holding{
			Identifier: username(t, "ada"), State: storage.Protected, Owner: "ann",
			Since: databaseTime, ExpireAt: databaseTime.Add(protection),
		},
	}, got)
	require.Equal(t, storage.HashArguments("renameUsername", "ann", "Lace"), b.store.changes[0].Arguments)

	again, err := b.Rename(t.Context(), renameTo("Lace", "1"))
	require.NoError(t, err)
	require.Equal(t, got, again)
	_, err = b.Rename(t.Context(), renameTo("lace", "1"))
	require.ErrorIs(t, err, storage.ErrRequestConflict, "another spelling is another argument")
}

func TestRenameToAnotherSpelling(t *testing.T) {
	t.Parallel()
	got, err := renamer(t).Rename(t.Context(), renameTo("ADA", "1"))
	require.NoError(t, err)
	require.Equal(t, "ADA", got.Holding.Identifier.Display())
	require.Nil(t, got.Former)
}

func TestRenameIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		to   string
		want error
	}{
		"taken":     {"bob", &registry.UnavailableError{Kind: identifier.Username, Value: "bob", Reason: registry.Taken}},
		"protected": {"eve", &registry.UnavailableError{Kind: identifier.Username, Value: "eve", Reason: registry.Protected}},
		"confusing": {"B.o.b", &registry.UnavailableError{Kind: identifier.Username, Value: "B.o.b", Reason: registry.Confusable}},
		"barred":    {"Root", &registry.UnavailableError{Kind: identifier.Username, Value: "Root", Reason: registry.NotAllowed}},
		"too soon":  {"lace", &storage.TooSoonError{AllowedAt: databaseTime.Add(time.Hour)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := renamer(t)
			b.store.allowedAt = databaseTime.Add(time.Hour)
			b.store.give("bob", username(t, "bob"), storage.Active)
			b.store.give("bob", username(t, "eve"), storage.Protected)
			_, err := b.Rename(t.Context(), renameTo(tc.to, "1"))
			require.Equal(t, tc.want, err)
		})
	}
}

// What operators have blocked is refused by the database, in its order of reasons, be the
// name hot or not.
func TestADenyListHasNoSayInARename(t *testing.T) {
	t.Parallel()
	b := setup(t) // without a name
	h := storage.Holding{Identifier: username(t, "grace"), State: storage.Released, Blocked: true}
	b.denied.list["grace"] = storage.Standing{Held: &h}
	_, err := b.Rename(t.Context(), renameTo("grace", "1"))
	require.ErrorIs(t, err, storage.ErrNotOwner)
}

func TestRenameToWhatIsNoName(t *testing.T) {
	t.Parallel()
	b := renamer(t)
	_, err := b.Rename(t.Context(), renameTo("a b", "1"))
	var invalid *registry.InvalidValueError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "a b", invalid.Value)
	require.Empty(t, b.store.changes)
}

func TestRenameWithoutAName(t *testing.T) {
	t.Parallel()
	_, err := setup(t).Rename(t.Context(), renameTo("lace", "1"))
	require.ErrorIs(t, err, storage.ErrNotOwner)
}

func TestPolicyTakesNoNameFromItsOwner(t *testing.T) {
	t.Parallel()
	b := renamer(t)
	first, err := b.Rename(t.Context(), renameTo("lace", "1"))
	require.NoError(t, err)
	b.policy["lace"] = true

	again, err := b.Rename(t.Context(), renameTo("lace", "1"))
	require.NoError(t, err)
	require.Equal(t, first, again)

	respelled, err := b.Rename(t.Context(), renameTo("LACE", "2"))
	require.NoError(t, err)
	require.Equal(t, "LACE", respelled.Holding.Identifier.Display())

	_, err = b.Rename(t.Context(), renameTo("love", "3"))
	require.NoError(t, err)
	again, err = b.Rename(t.Context(), renameTo("lace", "1"))
	require.NoError(t, err, "the account has moved on, and the request has its answer")
	require.Equal(t, first, again)
	_, err = b.Rename(t.Context(), renameTo("lace", "4"))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "lace", Reason: registry.NotAllowed}, err)
}

func TestRenameToABarredNameWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := renamer(t)
	b.store.failure = &storage.UnavailableError{}
	_, err := b.Rename(t.Context(), renameTo("root", "1"))
	require.ErrorIs(t, err, b.store.failure)
}
