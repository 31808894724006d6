//go:build unix

package trace

import "syscall"

// nonblock keeps the opening of a FIFO that stands where a trace should be from waiting for its writer.
const nonblock = syscall.O_NONBLOCK
