package main

// heapFloor is memory that counts as in use, so that a collection begins only
// when as much again has been allocated. The live heap of a replica is a few
// megabytes: without the floor it would collect many times a second, each time
// scanning the stacks of all connections, which took about half of a reserve's
// CPU outside PostgreSQL. The pages are never touched, so the system gives no
// memory for them.
func heapFloor() []byte { return make([]byte, 128<<20) }
