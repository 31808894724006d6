package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"

	"murlua/lifecycle/home"
	"murlua/platform/process"
	"murlua/platform/watch"
)

// Await is [Dial] to a process that may be about to open its socket: it waits for that, woken by the system's notice, until
// ctx ends or the process does, and fails with [ErrNobody] then.
func Await(ctx context.Context, h home.Home, of process.Identity) (net.Conn, error) {
	conn, err := Dial(ctx, h, of)
	if err == nil || ctx.Err() == nil && !errors.Is(err, ErrNobody) {
		return conn, err
	}
	ctx, done := untilExited(ctx, of)
	defer done()
	for ctx.Err() == nil {
		conn, err := awaitSocket(ctx, h, of)
		if conn != nil || err != nil {
			return conn, err
		}
	}
	return nil, fmt.Errorf("cannot attach to process %d: %w", of.PID, ErrNobody)
}

// untilExited returns a context that ends with the process as well, if that can be seen from here.
func untilExited(ctx context.Context, of process.Identity) (within context.Context, done func()) {
	within, cancel := context.WithCancel(ctx)
	ref, state := process.OpenIdentity(of)
	if ref == nil {
		if state.Kind == process.Gone {
			cancel()
		}
		return within, cancel
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-ref.Exited():
			cancel()
		case <-within.Done():
		}
	})
	return within, func() {
		cancel()
		watching.Wait()
		ref.Close()
	}
}

// awaitSocket waits for the socket; nothing is returned when ctx ends, or the folder of the sockets is removed.
func awaitSocket(ctx context.Context, h home.Home, of process.Identity) (net.Conn, error) {
	var changes *watch.Watcher
	dir, err := ensureFolder(h)
	if err == nil {
		changes, err = watch.Open(dir, watch.Options{})
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // removed as soon as made
	case errors.Is(err, watch.ErrUnsupported):
		changes = nil
	case err != nil:
		return nil, fmt.Errorf("cannot wait for process %d to let somebody in: %w", of.PID, err)
	default:
		defer changes.Close()
	}
	for {
		conn, err := Dial(ctx, h, of) // at first for a socket that was opened before the watch began
		switch {
		case err == nil:
			return conn, nil
		case ctx.Err() != nil:
			return nil, nil
		case !errors.Is(err, ErrNobody):
			return nil, err
		}
		// A socket is made, and then its mode is set, after which somebody listens on it: the last of these is a change, too.
		if _, err := watch.Await(ctx, changes); err != nil {
			return nil, nil
		}
	}
}
