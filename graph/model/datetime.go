package model

import (
	"errors"
	"io"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// dateTimeLayout is RFC 3339 in UTC, with microseconds where there are any: the
// resolution of the databases' clocks.
const dateTimeLayout = `"2006-01-02T15:04:05.999999Z"`

// MarshalDateTime writes t as a DateTime of the schema.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var b [len(dateTimeLayout)]byte
		w.Write(t.UTC().AppendFormat(b[:0], dateTimeLayout))
	})
}

// UnmarshalDateTime reads any RFC 3339 time.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, ok := v.(string)
	if !ok {
		return time.Time{}, errors.New("not a string")
	}
	return time.Parse(time.RFC3339Nano, s)
}
