// Package snapshot keeps the state of a replica in files, so that a restart need not
// build or pull it: a header, and parts by number. What they hold is no matter here.
//
// # Files
//
//	manifest           the header, and which parts belong to it
//	manifest.new       a manifest that is being written
//	NUMBER-SAVE.part   the bytes of a part, as written by a save; saves count from 1
//	aside/N-NAME       what was set aside; N counts from 1
//
// Only parts that changed are written, each to a name that nothing refers to; the
// manifest refers to the files of the others where they are. It is written last, synced
// with all entries of the folder, and renamed over the former one. So at any instant
// there is one whole manifest, with every part as it was meant to be with its header; a
// save that was cut leaves nothing but files that nothing refers to, which the next save
// or load removes.
//
// # Manifest
//
// All numbers are little-endian.
//
//	magic     "bnsm" 4
//	version   1
//	save      8   counts saves
//	header    length 4, bytes
//	parts     count 4, then each, by ascending number:
//	          number 4, save 8, length 4, SHA-256 32, tag length 1, tag
//	checksum  SHA-256 of all before, 32
//
// # Trust
//
// A part is read only as a whole and is compared with its checksum in the manifest, so
// that no byte of another save, and none that rotted, gets into a replica. What is
// damaged, of an unknown version or refused by the caller is set aside for people to look
// at, at most maxAside files of it, and is never loaded. A manifest that goes takes its
// parts with it; a part that goes takes nothing with it.
//
// A folder belongs to one process at a time; that is the caller's to see to.
package snapshot
