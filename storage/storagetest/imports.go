package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// lines numbers names without owners.
func lines(names ...identifier.Identifier) []storage.ImportLine {
	list := make([]storage.ImportLine, len(names))
	for i, name := range names {
		list[i] = storage.ImportLine{Number: i + 1, Identifier: name}
	}
	return list
}

func importLines(t *testing.T, s storage.Store, list []storage.ImportLine) []storage.ImportOutcome {
	t.Helper()
	outcomes, err := s.Import(t.Context(), list)
	require.NoError(t, err)
	require.Len(t, outcomes, len(list))
	for i, o := range outcomes {
		require.Equal(t, list[i].Number, o.Number)
	}
	return outcomes
}

func testImport(t *testing.T, r Replicas) {
	t.Run("names are held for ever, and a repeat changes nothing", func(t *testing.T) {
		t.Parallel()
		names := []identifier.Identifier{freshName(), freshName(), freshName()}
		for _, o := range importLines(t, r.A, lines(names...)) {
			require.Equal(t, storage.ImportOutcome{Number: o.Number, Added: true}, o)
		}
		standing, err := r.B.Lookup(t.Context(), names[0])
		require.NoError(t, err)
		require.Equal(t, storage.Active, standing.Held.State)
		require.Zero(t, standing.Held.ExpireAt)
		for _, o := range importLines(t, r.B, lines(names...)) {
			require.Equal(t, storage.ImportOutcome{Number: o.Number}, o)
		}
		r.requireHeld(t, *standing.Held)
		_, err = r.A.Reserve(t.Context(), request(hour, names[0]))
		requireLost(t, err, *standing.Held)
	})
	t.Run("more lines than a piece, some twice", func(t *testing.T) {
		t.Parallel()
		names := make([]identifier.Identifier, 5000)
		for i := range names {
			names[i] = freshName()
		}
		names[4000], names[1] = names[3999], names[0]
		added := 0
		for _, o := range importLines(t, r.A, lines(names...)) {
			require.Empty(t, o.Refused)
			if o.Added {
				added++
			}
		}
		require.Equal(t, 4998, added)
	})
	t.Run("what another holds is refused", func(t *testing.T) {
		t.Parallel()
		reserved, over, free := freshName(), freshName(), freshName()
		h := reserve(t, r.A, request(hour, reserved))
		reserve(t, r.A, request(elapsed, over))
		outcomes := importLines(t, r.B, lines(reserved, over, free))
		require.NotEmpty(t, outcomes[0].Refused)
		require.True(t, outcomes[1].Added)
		require.True(t, outcomes[2].Added)
		r.requireHeld(t, h)
	})
	t.Run("owners", func(t *testing.T) {
		t.Parallel()
		testImportOwners(t, r)
	})
}

func testImportOwners(t *testing.T, r Replicas) {
	one, two, three := freshName(), freshName(), freshName()
	ann, bob := freshName().Key(), freshName().Key()
	list := []storage.ImportLine{
		{Number: 1, Identifier: one, Owner: ann},
		{Number: 2, Identifier: two, Owner: ann}, // a second name
		{Number: 3, Identifier: one, Owner: bob}, // a second owner
		{Number: 4, Identifier: three},
	}
	outcomes := importLines(t, r.A, list)
	require.Equal(t, storage.ImportOutcome{Number: 1, Added: true}, outcomes[0])
	require.NotEmpty(t, outcomes[1].Refused)
	require.NotEmpty(t, outcomes[2].Refused)
	require.True(t, outcomes[3].Added)
	r.requireFree(t, two)
	standing, err := r.B.Lookup(t.Context(), one)
	require.NoError(t, err)
	require.Equal(t, ann, standing.Held.Owner)

	later := importLines(t, r.B, []storage.ImportLine{
		{Number: 1, Identifier: two, Owner: ann},   // a second name, in another import
		{Number: 2, Identifier: three, Owner: bob}, // held without an owner
		{Number: 3, Identifier: one, Owner: ann},   // as it is
	})
	require.NotEmpty(t, later[0].Refused)
	require.NotEmpty(t, later[1].Refused)
	require.Equal(t, storage.ImportOutcome{Number: 3}, later[2])
	r.requireFree(t, two)
	r.requireHeld(t, *standing.Held)
}
