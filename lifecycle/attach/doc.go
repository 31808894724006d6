// Package attach is the way into a running process of this program from another one: a socket of its own for each
// process, below the home directory, for the user who runs it and nobody else.
//
// [Listen] opens the socket of this process, [Dial] connects to that of another, which is named by its identity: the
// number alone could have come to mean somebody else. [Await] waits for one that has yet to open its own. Both ends ask
// the kernel who the other one is. The folder has mode 0700 and the sockets 0600, so the check comes second.
//
// What is said over a connection is not this package's business. Where the system cannot tell who is at the other
// end the functions fail with [ErrUnsupported].
package attach
