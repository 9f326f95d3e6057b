// Package wire is the form of what package transfer sends: frames, and the messages in
// them. All numbers are little-endian.
//
// # Frames
//
//	kind      1
//	length    4   of the payload, at most MaxData
//	checksum  4   CRC-32C of kind, length and payload
//	payload
//
// # Messages
//
// Texts of bytes have their length in one byte before them, and nothing may follow what
// a message is made of.
//
//	Hello     magic "bntr" 4, version 2, fingerprint 8 to 32, replica id 1 to 64
//	Request   number 4, offset 4, have 0 to 64, resume 0 to 64
//	Head      length 4, offset 4, tag 0 to 64
//	Data      bytes of the blob, 1 to MaxData
//	End       CRC-32C of the whole blob, 4
//	NotHeld   nothing
//	NotNewer  nothing
//	Busy      milliseconds to wait, 4
//
// Each side begins with a Hello, the server first. Of another version nothing but magic
// and version is read, so these and the frame itself stay for ever. Then each Request is
// answered by NotHeld, NotNewer, Busy, or a Head, the blob from the head's offset on in
// Data frames, and an End. The next request follows the whole answer.
package wire
