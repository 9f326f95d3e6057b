package faults_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"namegate/storage/localpg/pgtest"
)

var (
	long    = flag.Bool("faults.long", false, "longer faults, and more of them")
	gateway = flag.String("faults.gateway", "", "built gateway to try; that of this tree by default")
)

// server has the databases of all tests that do not break their server.
var server pgtest.Shared

// atOnce is how many tests run at once by default: they wait, most of the time.
const atOnce = "4"

func TestMain(m *testing.M) {
	err := flag.Set("test.parallel", atOnce)
	flag.Parse()
	code := 1
	if err == nil {
		code, err = buildAndRun(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	if *gateway == "" {
		dir, err := os.MkdirTemp("", "namegate-faults-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		*gateway = filepath.Join(dir, "gateway")
		if text, err := exec.Command("go", "build", "-o", *gateway, "namegate/gateway").CombinedOutput(); err != nil {
			return 0, fmt.Errorf("build the gateway: %w\n%s", err, text)
		}
	}
	return server.Run(m), nil
}

// bound is the staleness bound of the replicas under test: the least there is, so that
// several of it pass soon.
func bound() time.Duration {
	if *long {
		return 5 * time.Second
	}
	return time.Second
}

// rounds is how often a fault is repeated.
func rounds(short, many int) int {
	if *long {
		return many
	}
	return short
}
