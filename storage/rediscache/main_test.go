package rediscache_test

import (
	"testing"

	"go.uber.org/goleak"

	"namegate/storage/rediscache/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction(redistest.Dialing)) }
