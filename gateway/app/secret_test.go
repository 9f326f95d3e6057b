package app

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestASecretIsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	require.NoError(t, makeSecret(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")

	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, makeSecret(path))
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, again)
	_, err = readParser(path)
	require.NoError(t, err)
	_, err = readKeyring(path)
	require.NoError(t, err)
}

func TestOfManyMakersOfASecretOneWins(t *testing.T) {
	t.Parallel()
	for range 50 {
		path := filepath.Join(t.TempDir(), "secret")
		var makers sync.WaitGroup
		made := make([][]byte, 8)
		for i := range made {
			makers.Go(func() {
				if makeSecret(path) == nil {
					made[i], _ = os.ReadFile(path)
				}
			})
		}
		makers.Wait()
		for _, secret := range made {
			require.NotEmpty(t, secret)
			require.Equal(t, made[0], secret)
		}
	}
}

func TestMadeSecretsDiffer(t *testing.T) {
	t.Parallel()
	one, other := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "other")
	require.NoError(t, makeSecret(one))
	require.NoError(t, makeSecret(other))
	a, err := readSecrets(one)
	require.NoError(t, err)
	b, err := readSecrets(other)
	require.NoError(t, err)
	require.NotEqual(t, a, b)
}

func TestASecretFileThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	short := writeFile(t, "hunter2\n")
	_, err := readParser(short)
	require.ErrorContains(t, err, short)
	require.NotContains(t, err.Error(), "hunter2")
	_, err = readKeyring(short)
	require.ErrorContains(t, err, short)
	require.NotContains(t, err.Error(), "hunter2")

	_, err = readParser(writeFile(t, strings.Repeat("a", 32)+"\n"+strings.Repeat("b", 32)))
	require.ErrorContains(t, err, "has 2 lines, not one")
	_, err = readParser(writeFile(t, "\n"))
	require.ErrorContains(t, err, "has 0 lines, not one")
	_, err = readKeyring(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A wrong file is most likely given by mistake.
func TestASecretFileThatIsNoText(t *testing.T) {
	t.Parallel()
	long := writeFile(t, strings.Repeat(strings.Repeat("a", 63)+"\n", 1025))
	_, err := readSecrets(long)
	require.ErrorContains(t, err, long+" is longer than 64 KiB")
	for _, spoiled := range []string{"\x00", "\x1b[A", "\x7f", "\t"} {
		path := writeFile(t, strings.Repeat("k", 32)+spoiled+"k\n")
		_, err = readSecrets(path)
		require.ErrorContains(t, err, path+" has control characters")
		require.NotContains(t, err.Error(), "kk")
	}
}

func TestKeysAreLinesWhateverTheirEnds(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 32), strings.Repeat("b", 32)
	secrets, err := readSecrets(writeFile(t, a+"\r\n\n  "+b))
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte(a), []byte(b)}, secrets)
}
