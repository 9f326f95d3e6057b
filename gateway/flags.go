package main

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"namegate/gateway/app"
)

// databaseFlags say which databases the registry has.
type databaseFlags struct {
	Database             []database `placeholder:"NAME=DSN" sep:";" help:"A database of the registry: a name for logs and reports, and its connection string or URL. Give the flag once for each database, all of them every time; one value may hold several with ; between them."`
	IdentifierSecretFile string     `placeholder:"FILE" help:"File with the secret, of at least 16 bytes, that keys are made with. It can never change. Required beside --database; dev makes one in --data-dir."`
	QueryMode            string     `enum:"cached,exec" default:"cached" help:"How statements reach the databases: cached prepares each once a connection; exec leaves nothing on a connection, for poolers in transaction mode."`
}

// dataFlags say where the embedded PostgreSQL is.
type dataFlags struct {
	DataDir string `default:".namegate" help:"Folder of the embedded PostgreSQL, which is used when no --database is given, and of the secrets that dev makes."`
}

// databases are those that the flags name, in no data folder.
func (f databaseFlags) databases() app.Databases {
	named := make([]app.Database, len(f.Database))
	for i, d := range f.Database {
		named[i] = app.Database(d)
	}
	mode := app.CachedStatements
	if f.QueryMode == "exec" {
		mode = app.PlainQueries
	}
	return app.Databases{Named: named, IdentifierSecretFile: f.IdentifierSecretFile, QueryMode: mode}
}

// registryFlags are those of every command that works on the registry beside its
// replicas.
type registryFlags struct {
	dataFlags
	databaseFlags
}

// databases are those that the flags name or, when they name none, the embedded ones.
func (f registryFlags) databases() app.Databases {
	d := f.databaseFlags.databases()
	d.DataDir = f.DataDir
	return d
}

// database is a value of --database.
type database app.Database

// UnmarshalText reads NAME=DSN.
func (d *database) UnmarshalText(text []byte) error {
	name, dsn, ok := strings.Cut(string(text), "=")
	if !ok || name == "" || dsn == "" || strings.ContainsAny(name, " /:") {
		// The text is not quoted: it may hold a password.
		return errors.New("expected NAME=DSN, such as main=postgres://user@host/database")
	}
	d.Name, d.DSN = name, dsn
	return nil
}

// replicaFlags are those that dev and serve share.
type replicaFlags struct {
	databaseFlags
	logFlags
	Admin        string `default:"127.0.0.1:9090" help:"Where to serve /livez and /readyz. Keep it from the public. Port 0 takes any free one."`
	TokenKeyFile string `placeholder:"FILE" help:"File with the keys of reservation tokens, of at least 32 bytes, one a line, newest first. A former key must stay for 30 days. Required by serve; dev makes one in --data-dir."`
	JWTKeyFile   string `placeholder:"FILE" help:"JWK set of the keys that access tokens (JWT) are signed with; each states kid and alg: EdDSA, ES256 or RS256 with a public key, HS256 with an oct key. Without keys no token is good."`
	jwtFlags
	termsFlags
	retentionFlags
	filterFlags
	layerFlags
	limitFlags
	ReservationTTL time.Duration `default:"15m" help:"How long a reservation lasts, from 1s to 24h."`
	ReservedWords  string        `placeholder:"FILE" help:"File of words that nobody may have, beside the built-in ones: one a line, word or prefix*. SIGHUP has it read again; a file with a broken line is refused as a whole."`
}

// jwtFlags say what access tokens must name.
type jwtFlags struct {
	JWTIssuer   string `default:"namegate" help:"What an access token must name as its issuer (iss)."`
	JWTAudience string `default:"namegate" help:"What an access token must name as its audience (aud), or as one of several."`
}

func (f jwtFlags) tokens() app.JWT {
	return app.JWT{Issuer: f.JWTIssuer, Audience: f.JWTAudience}
}

// demoFlags are those of commands that need nothing but the demo key.
type demoFlags struct {
	DataDir string `default:".namegate" help:"Folder of the demo key."`
}

// options are those of a replica, in a part that dev and serve share.
func (f replicaFlags) options(log io.Writer) app.Options {
	return app.Options{
		Databases:         f.databases(),
		Admin:             f.Admin,
		TokenKeyFile:      f.TokenKeyFile,
		JWTKeyFile:        f.JWTKeyFile,
		JWT:               f.tokens(),
		Terms:             f.terms(),
		Retention:         f.retention(),
		Filter:            f.filter(),
		Layers:            f.layers(),
		Limits:            f.limits(),
		Fleet:             f.fleet(),
		ReservationTTL:    f.ReservationTTL,
		ReservedWordsFile: f.ReservedWords,
		Logger:            f.logger(log),
	}
}

// logFlags say what is logged, to standard error.
type logFlags struct {
	LogLevel  slog.Level `default:"info" help:"The least level that is logged: debug, info, warn or error."`
	LogFormat string     `enum:"text,json" default:"text" help:"Form of the log: text or json."`
}

func (f logFlags) logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: f.LogLevel}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
