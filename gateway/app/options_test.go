package app_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/storage/postgres"
)

func serveOptions() app.Options {
	return app.Options{
		Databases: app.Databases{
			Named:                []postgres.Database{{Name: "main", DSN: "postgres://nowhere/main"}},
			IdentifierSecretFile: "secret",
		},
		HTTP: "127.0.0.1:0", Admin: "127.0.0.1:0",
		TokenKeyFile:   "keys",
		JWT:            app.JWT{Issuer: "namegate", Audience: "namegate"},
		Terms:          app.Terms{Protection: time.Hour},
		Retention:      app.Retention{Requests: 24 * time.Hour, Audit: 24 * time.Hour},
		ReservationTTL: 15 * time.Minute,
		Logger:         slog.New(slog.DiscardHandler),
	}
}

func TestOptionsOfAReplica(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*app.Options)
		wrong  string // "" when nothing is
	}{
		"complete":             {func(*app.Options) {}, ""},
		"no database":          {func(o *app.Options) { o.Named = nil }, "--database is required"},
		"no identifier secret": {func(o *app.Options) { o.IdentifierSecretFile = "" }, "--identifier-secret-file"},
		"no token keys":        {func(o *app.Options) { o.TokenKeyFile = "" }, "--token-key-file"},
		"no issuer":            {func(o *app.Options) { o.JWT.Issuer = "" }, "--jwt-issuer"},
		"no audience":          {func(o *app.Options) { o.JWT.Audience = "" }, "--jwt-audience"},
		"one name twice":       {func(o *app.Options) { o.Named = append(o.Named, o.Named[0]) }, "main twice"},
		"short memory":         {func(o *app.Options) { o.Retention.Requests = time.Hour }, "--request-retention"},
		"long audit":           {func(o *app.Options) { o.Retention.Audit *= 1 << 20 }, "--audit-retention"},
		"wrong terms":          {func(o *app.Options) { o.Terms = app.Terms{} }, "--protection"},
		"stop in no time":      {func(o *app.Options) { o.ShutdownDelay = -1 }, "--shutdown-delay"},
		"stop without end":     {func(o *app.Options) { o.ShutdownDelay = time.Hour }, "--shutdown-delay"},
		"short reservations":   {func(o *app.Options) { o.ReservationTTL = time.Millisecond }, "--reservation-ttl"},
		"long reservations":    {func(o *app.Options) { o.ReservationTTL = 25 * time.Hour }, "--reservation-ttl"},
		"an empty address":     {func(o *app.Options) { o.HTTP = "" }, "--http"},
		"an address, no port":  {func(o *app.Options) { o.Admin = "localhost" }, "--admin"},
		"dev makes the rest": {func(o *app.Options) {
			o.Dev, o.Databases, o.TokenKeyFile = true, app.Databases{DataDir: "dir"}, ""
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := serveOptions()
			tc.change(&opts)
			_, err := app.New(opts)
			if tc.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.wrong)
		})
	}
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	_, err := app.New(app.Options{})
	require.Equal(t, 11, len(strings.Split(err.Error(), "\n")), err.Error())
}

// The secret of a folder that happens to be there would bind a database to it.
func TestACommandOnNamedDatabasesNeedsTheirSecret(t *testing.T) {
	t.Parallel()
	err := app.Migrate(t.Context(), app.Databases{
		Named:   []postgres.Database{{Name: "main", DSN: "postgres://nowhere/main"}},
		DataDir: t.TempDir(),
	}, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "--identifier-secret-file is required beside --database")
}
