// Package storagetest states the contract of package storage as a suite of
// tests. It runs over two stores that share their databases, as two replicas
// do; the second may live in another process (Serve and Dial).
package storagetest
