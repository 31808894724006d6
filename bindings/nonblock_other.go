//go:build !unix

package bindings

// nonblock is for systems whose pipes have names.
const nonblock = 0
