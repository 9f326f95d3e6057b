package registry_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

var (
	ann     = registry.Caller{Role: registry.User, Subject: "ann"}
	bob     = registry.Caller{Role: registry.User, Subject: "bob"}
	backEnd = registry.Caller{Role: registry.Service, Subject: "shop"}
)

// by is a caller's own request, number n.
func by(caller registry.Caller, n string) registry.Request {
	return registry.Request{Caller: caller, RequestID: "request-" + n}
}

// forOwner is a back end's request, number n, for an account.
func forOwner(owner, n string) registry.Request {
	q := by(backEnd, n)
	q.OwnerID = &owner
	return q
}

// changes are the operations that change an account, with a request that is not
// refused for itself.
func changes(t *testing.T, b bundle) map[string]func(registry.Request) error {
	t.Helper()
	token := reserved(t, b, "ada")
	return map[string]func(registry.Request) error{
		"confirm": func(q registry.Request) error {
			_, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: q, Token: token})
			return err
		},
		"rename": func(q registry.Request) error {
			_, err := b.Rename(t.Context(), registry.RenameInput{Request: q, To: "lace"})
			return err
		},
		"release": func(q registry.Request) error {
			_, err := b.Release(t.Context(), registry.ReleaseInput{Request: q, Kind: identifier.Username, Value: "ada"})
			return err
		},
		"release all": func(q registry.Request) error {
			_, err := b.ReleaseAll(t.Context(), q)
			return err
		},
	}
}

// reserved is the token of a name that was just reserved.
func reserved(t *testing.T, b bundle, name string) string {
	t.Helper()
	in := ask(name)
	in.RequestID = strings.Repeat(name, 22)[:22]
	made, err := b.Reserve(t.Context(), in)
	require.NoError(t, err)
	return made.Token
}

func TestWhoMayChangeWhichAccount(t *testing.T) {
	t.Parallel()
	id := func(s string) *string { return &s }
	for name, tc := range map[string]struct {
		caller registry.Caller
		named  *string
		owner  string // whom it acts for, unless it is refused
		err    error
		input  bool // it is refused with *registry.InputError
	}{
		"a user":                             {caller: ann, owner: "ann"},
		"a user that names itself":           {caller: ann, named: id("ann"), owner: "ann"},
		"a user that names another":          {caller: ann, named: id("bob"), err: registry.ErrForbidden},
		"a user that names nobody":           {caller: ann, named: id(""), err: registry.ErrForbidden},
		"a back end":                         {caller: backEnd, named: id("bob"), owner: "bob"},
		"a back end, for the longest id":     {caller: backEnd, named: id(strings.Repeat("ö", 64)), owner: strings.Repeat("ö", 64)},
		"a back end without an owner":        {caller: backEnd, input: true},
		"a back end, for an empty id":        {caller: backEnd, named: id(""), input: true},
		"a back end, for a long id":          {caller: backEnd, named: id(strings.Repeat("ö", 65)), input: true},
		"a back end, for a control":          {caller: backEnd, named: id("a\x00"), input: true},
		"a back end, for what is no Unicode": {caller: backEnd, named: id("a\xff"), input: true},
		"somebody":                           {err: registry.ErrUnauthenticated},
		"somebody who names an account":      {named: id("ann"), err: registry.ErrUnauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for operation, do := range changes(t, b) {
				b.store.changes = nil
				err := do(registry.Request{Caller: tc.caller, OwnerID: tc.named, RequestID: "request-" + operation})
				if tc.owner != "" {
					require.Len(t, b.store.changes, 1, operation)
					require.Equal(t, tc.owner, b.store.changes[0].Owner, operation)
					require.Equal(t, tc.caller.Subject, b.store.changes[0].Actor, operation)
					continue
				}
				require.Equal(t, tc.input, errors.As(err, new(*registry.InputError)), operation)
				require.ErrorIs(t, err, cmp.Or(tc.err, err), operation)
				require.Empty(t, b.store.changes, "refused before it reaches a database")
			}
		})
	}
}

func TestARequestIDOfACallerOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for operation, do := range changes(t, b) {
		for _, bad := range []string{"", "1234567", strings.Repeat("a", 65), "1234567\n", "12345ä7"} {
			var input *registry.InputError
			require.ErrorAs(t, do(registry.Request{Caller: ann, RequestID: bad}), &input, operation)
			require.Contains(t, input.Message, "8 to 64")
		}
		require.Empty(t, b.store.changes)
	}
	for operation, do := range changes(t, b) {
		for _, good := range []string{operation + "12345", (operation + strings.Repeat("~", 64))[:64]} {
			err := do(registry.Request{Caller: ann, RequestID: good})
			require.NotErrorAs(t, err, new(*registry.InputError), operation)
		}
	}
}

func TestARequestIsKnownByItsCallerAndItsArguments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	do := changes(t, b)
	require.NoError(t, do["confirm"](by(ann, "1")))
	for _, operation := range []string{"rename", "release", "release all"} {
		require.ErrorIs(t, do[operation](by(ann, "1")), storage.ErrRequestConflict, operation)
	}
	require.NoError(t, do["confirm"](by(ann, "1")), "the same again")

	require.NoError(t, do["release all"](forOwner("ann", "1")), "another caller's ids are its own")
	require.ErrorIs(t, do["release all"](forOwner("bob", "1")), storage.ErrRequestConflict, "for another account")
	require.Equal(t, storage.NewUserRequestKey("ann", "request-1"), b.store.changes[0].Request)
	require.Equal(t, storage.NewServiceRequestKey("shop", "request-1"), b.store.changes[len(b.store.changes)-1].Request)
}

func TestAChangeWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	do := changes(t, b)
	b.store.failure = &storage.UnavailableError{}
	for operation, change := range do {
		require.ErrorIs(t, change(by(ann, "1")), b.store.failure, operation)
	}
	require.Empty(t, b.sleeper.pauses)
}
