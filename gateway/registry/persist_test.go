package registry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// losing are the operations that may lose the name ada to somebody else.
func losing(t *testing.T, b bundle) map[string]func() error {
	t.Helper()
	token := reserved(t, b, "ada")
	b.store.give("ann", username(t, "lace"), storage.Active)
	return map[string]func() error{
		"reserve": func() error {
			_, err := b.Reserve(t.Context(), ask("ada"))
			return err
		},
		"reserve all": func() error {
			_, err := b.ReserveAll(t.Context(), askAll("1", email("ada@example.org"), name("ada")))
			return err
		},
		"confirm": func() error {
			_, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: by(bob, "1"), Token: token})
			return err
		},
		"rename": func() error {
			_, err := b.Rename(t.Context(), registry.RenameInput{Request: by(ann, "1"), To: "ada"})
			return err
		},
	}
}

var operations = []string{"reserve", "reserve all", "confirm", "rename"}

func TestWhoLosesToAReservationTriesAgain(t *testing.T) {
	t.Parallel()
	for _, operation := range operations {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			do := losing(t, b)[operation]
			b.store.hold(username(t, "ada"), storage.Reserved)
			err := do()
			require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.Reserved}, err)
			require.Equal(t, []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond}, b.sleeper.pauses)
		})
	}
}

func TestWhoTriesAgainGetsWhatBecameFree(t *testing.T) {
	t.Parallel()
	for _, operation := range operations {
		for after := 1; after <= 3; after++ {
			b := setup(t)
			do := losing(t, b)[operation]
			b.store.hold(username(t, "ada"), storage.Reserved)
			b.sleeper.during = func(n int) {
				if n == after {
					b.store.free(username(t, "ada"))
				}
			}
			require.NoError(t, do(), operation)
			require.Len(t, b.sleeper.pauses, after, operation)
		}
	}
}

func TestNobodyWaitsForWhatIsOwned(t *testing.T) {
	t.Parallel()
	for _, operation := range operations {
		for state, reason := range map[storage.State]registry.Reason{
			storage.Active: registry.Taken, storage.Protected: registry.Protected,
		} {
			b := setup(t)
			do := losing(t, b)[operation]
			b.store.hold(username(t, "ada"), state)
			require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: reason}, do(), operation)
			require.Empty(t, b.sleeper.pauses, operation)
		}
	}
}

// Nobody may have what an operator has blocked, whoever has it and however it is spelled.
func TestNobodyHasOrWaitsForWhatIsBlocked(t *testing.T) {
	t.Parallel()
	for _, operation := range operations {
		for _, state := range []storage.State{storage.Reserved, storage.Active, storage.Protected, storage.Released} {
			b := setup(t)
			do := losing(t, b)[operation]
			b.store.hold(username(t, "ada"), state)
			b.store.block(username(t, "ada"))
			require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.NotAllowed}, do(), operation)
			require.Empty(t, b.sleeper.pauses, operation)
			for _, name := range []string{"ada", "a.d.a"} {
				got, err := b.Check(t.Context(), name)
				require.NoError(t, err)
				require.Equal(t, registry.NotAllowed, got.Reason)
			}
		}
	}
}

func TestAnAlternativeToWhatIsBlocked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.block(username(t, "ada"))
	made, err := b.Reserve(t.Context(), ask("ada", "bob"))
	require.NoError(t, err)
	require.Equal(t, "bob", made.Holding.Identifier.Key())
	in := ask("lace")
	in.RequestID += "-2"
	first, err := b.Reserve(t.Context(), in)
	require.NoError(t, err)
	b.store.block(username(t, "lace"))
	again, err := b.Reserve(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, first, again, "a resend gets its outcome")
}

// Its owner keeps what is blocked, and leaves it for good.
func TestARenameAwayFromWhatIsBlocked(t *testing.T) {
	t.Parallel()
	b := renamer(t)
	b.store.block(username(t, "ada"))
	_, err := b.Rename(t.Context(), renameTo("Ada", "1"))
	require.NoError(t, err)
	_, err = b.Rename(t.Context(), renameTo("lace", "2"))
	require.NoError(t, err)
	_, err = b.Rename(t.Context(), renameTo("ada", "3"))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.NotAllowed}, err)
}

func TestTheFirstCandidateDecidesWhetherToWait(t *testing.T) {
	t.Parallel()
	for waits, in := range map[int]registry.ReserveInput{
		3: ask("bob", "ada"),
		0: ask("ada", "bob"),
	} {
		b := setup(t)
		b.store.hold(username(t, "ada"), storage.Active)
		b.store.hold(username(t, "bob"), storage.Reserved)
		_, err := b.Reserve(t.Context(), in)
		require.Error(t, err)
		require.Len(t, b.sleeper.pauses, waits)
	}
	b := setup(t)
	b.store.hold(username(t, "bob"), storage.Reserved)
	_, err := b.Reserve(t.Context(), ask("bob", "ada"))
	require.NoError(t, err)
	require.Empty(t, b.sleeper.pauses, "an alternative was free")
}

func TestPausesDiffer(t *testing.T) {
	t.Parallel()
	for random, want := range map[float64][]time.Duration{
		0:    {5 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond},
		0.75: {12500 * time.Microsecond, 62500 * time.Microsecond, 125 * time.Millisecond},
	} {
		b := setup(t)
		b.sleeper.random = random
		b.store.hold(username(t, "ada"), storage.Reserved)
		_, err := b.Reserve(t.Context(), ask("ada"))
		require.Error(t, err)
		require.Equal(t, want, b.sleeper.pauses)
	}
}

func TestWhoHasNoTimeLeftIsToldWhatIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Reserved)
	b.sleeper.failure = context.DeadlineExceeded
	_, err := b.Reserve(t.Context(), ask("ada"))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.Reserved}, err)
	require.Len(t, b.sleeper.pauses, 1)
	require.Len(t, b.store.requests, 1)
}

func TestWhatFailsOtherwiseIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Reserved)
	failure := &storage.OverloadedError{}
	b.sleeper.during = func(int) { b.store.failure = failure }
	_, err := b.Reserve(t.Context(), ask("ada"))
	require.ErrorIs(t, err, failure)
	require.Len(t, b.store.requests, 2)
}

// Another attempt that has no place takes the answer of the last one from nobody.
func TestAnAttemptWithoutAPlaceHidesNoAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Reserved)
	shut := b.on(t, registry.NewValve(b.store, 1, func() time.Time { return gatewayTime }))
	_, err := shut.Reserve(t.Context(), ask("ada"))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.Reserved}, err)
	require.Len(t, b.store.requests, 1)
	_, err = shut.Reserve(t.Context(), ask("ada"))
	require.ErrorAs(t, err, new(*storage.OverloadedError), "nothing is known of this one")
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		require.NoError(t, registry.Sleep(t.Context(), time.Second))
		require.Equal(t, time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, registry.Sleep(ctx, time.Hour), context.DeadlineExceeded)
		require.Equal(t, 2*time.Second, time.Since(start))
	})
}

func name(value string) registry.Wanted {
	return registry.Wanted{Kind: identifier.Username, Value: value}
}

func email(value string) registry.Wanted {
	return registry.Wanted{Kind: identifier.Email, Value: value}
}

// askAll is a back end's request, number n, for several identifiers.
func askAll(n string, wanted ...registry.Wanted) registry.ReserveAllInput {
	return registry.ReserveAllInput{Caller: backEnd, Wanted: wanted, RequestID: "request-" + n}
}
