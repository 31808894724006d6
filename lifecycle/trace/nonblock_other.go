//go:build !unix

package trace

// nonblock is nothing: no file here waits when it is opened.
const nonblock = 0
