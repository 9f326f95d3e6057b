package postgres_test

import (
	"testing"

	"namegate/storage/postgres"
)

func TestChangesReadNoWholeIndex(t *testing.T) {
	t.Parallel()
	requireConditions(t, postgres.PlannedChanges())
}
