package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

func TestRetentionHasBounds(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	require.NoError(t, app.Retention{Requests: 30 * day, Audit: 730 * day}.Validate())
	for _, wrong := range []app.Retention{{Requests: day - 1, Audit: day}, {Requests: 3651 * day, Audit: day}, {Requests: day, Audit: day - 1}, {Requests: day, Audit: 36501 * day}} {
		require.Error(t, wrong.Validate(), wrong)
	}
}
