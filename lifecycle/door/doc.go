// Package door is a capsule's A2A door from both sides: [Probe] asks a door which session it answers for, [Client] talks to one,
// [Serve] opens one. It is the only package that knows the A2A protocol.
//
// # Probing
//
// [Probe] decides whether a record's capsule is live, so its verdict must be that of murmur's own reader. It speaks HTTP by
// hand: murmur takes no redirect, no chunked or compressed reply and no keep-alive, and reads to the end of the stream,
// and each of those is a default of net/http that would have to be undone and watched for. What murmur leaves open
// is bounded here: the total time and the size of the reply.
//
// # Ownership
//
// A probe and a client's call own their connection and close it before they return. A server owns its listener and its
// connections until [Server.Close]. Nothing here prints, logs, or puts a token or a request into an error text.
package door
