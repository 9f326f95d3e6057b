// Package littleendian reads the encodings of bloomnet: numbers, the least significant
// byte first, and bytes that have their length before them. It believes nothing that they
// say: what is not there is not read, and no memory is taken for it.
package littleendian
