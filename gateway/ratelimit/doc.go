// Package ratelimit limits what one client address may do, by exact sliding windows: no
// window of a limit's length, wherever it begins, admits more than the limit.
//
// A client is an IPv4 address or an IPv6 /64, which is what one subscriber has. Beside it
// counts its neighbourhood, a /24 or a /48, by a wider limit: who owns a block of addresses
// has no more of it than some. A charge is for everything or for nothing, and what is
// refused is not counted, so a client that keeps asking is let in as soon as one that waits.
package ratelimit
