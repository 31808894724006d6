package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// untilUnread returns a context that ends, too, when nobody can read any more what is written to out: the other end of a
// pipe was closed. A write would tell, but there may be nothing to write for a long time. The caller calls stop.
func untilUnread(ctx context.Context, out *os.File) (within context.Context, stop func()) {
	within, cancel := context.WithCancel(ctx)
	conn, err := out.SyscallConn()
	if err != nil {
		return within, cancel
	}
	wake, waker, err := os.Pipe()
	if err != nil {
		return within, cancel
	}
	done := make(chan struct{})
	go func() { // ends with waker
		defer close(done)
		_ = conn.Control(func(fd uintptr) { awaitHangup(int32(fd), int32(wake.Fd())) })
		cancel()
	}()
	return within, func() {
		waker.Close()
		<-done
		wake.Close()
	}
}

// awaitHangup waits until the other end of fd, or of wake, is closed. Nothing was asked for, so that poll(2) returns with
// POLLERR or POLLHUP only.
func awaitHangup(fd, wake int32) {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: fd}, {Fd: wake}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
