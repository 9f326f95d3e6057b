// Package transfer moves blobs between replicas: each has a number, a tag that names its
// bytes, and at most MaxBlob bytes that never change. What they hold is no matter here.
//
// # Trust
//
// Connections are TLS 1.3. Each side shows a certificate whose Ed25519 key is derived
// from a secret of the cluster (HKDF, RFC 5869), and takes nothing but keys that are
// derived from secrets it knows: there are no names, dates or authorities, and whoever
// has a secret is a peer like any other. To replace a secret, first all replicas know
// both, the old one first; then the new one comes first; then the old one goes. A server
// shows its public key to whoever connects, so a secret must not be guessable. It says
// nothing more before the client has proved its own.
//
// Peers then greet each other. One whose fingerprint or wire version differs is refused
// on both sides with a MismatchError, as its blobs would be of no use.
//
// # Pulls
//
// Nothing is ever pushed. A client asks for a number and tells the tag that it has; the
// server answers with the blob, or that it holds none, none that is newer, or that it is
// busy. A pull that was cut goes on where it was, from any peer whose blob has the same
// tag. Each frame has a checksum, and so has the whole blob, for what TLS does not see:
// parts that were put together wrong. Package wire tells the form.
//
// # Bounds
//
// A server limits its connections, those that have not proved themselves and the bytes it
// reads of them, the blobs on their way, and their bytes per second. A client limits its
// pulls in all and per peer, and a pull takes 4 MiB on a peer's word, then at most twice
// the memory of what came, and while it grows three times. Every wait for the other side
// ends at a deadline that goes on only with whole frames.
package transfer
