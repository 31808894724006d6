//go:build unix

package bindings

import "syscall"

// nonblock keeps the opening of a pipe that has no other end from waiting.
const nonblock = syscall.O_NONBLOCK
