// Package redistest gives tests real Redis: servers of a test's own to pause, kill,
// flush and configure, alone, under Sentinels or as a Cluster. They listen on free ports
// of 127.0.0.1, keep their files in folders of their own and end with their test. Where
// redis-server is missing tests fail.
package redistest
