package main

import (
	"context"
	"errors"
	"net"
	"sync"

	"murlua/bindings"
	"murlua/engine/repl"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
	"murlua/platform/watch"
)

// untilEnded returns a context that ends with the formation as well: when none of the processes holds it any more, or it
// has given its name back. The caller calls stop.
func untilEnded(ctx context.Context, h home.Home, followed id.Formation, holders []host) (within context.Context, stop func()) {
	within, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for _, holder := range holders {
			awaitEnd(within, h, followed, holder)
		}
		cancel()
	})
	if _, named := claim.Of(h, followed); named {
		waiting.Go(func() {
			if awaitRelease(within, h, followed) {
				cancel()
			}
		})
	}
	return within, func() {
		cancel()
		waiting.Wait()
	}
}

// awaitRelease waits until a formation has given its name back, which it does when nothing of it is left; false when ctx
// ends before, or that cannot be seen.
func awaitRelease(ctx context.Context, h home.Home, followed id.Formation) bool {
	changes, err := watch.Open(h.Names(), watch.Options{})
	if err != nil {
		return false
	}
	defer changes.Close()
	for {
		if _, named := claim.Of(h, followed); !named {
			return true
		}
		if _, err := changes.Next(ctx); err != nil {
			return false
		}
	}
}

// awaitEnd waits until the process holds the formation no more, or ctx ends. A process that can be asked may go on
// when its formation has ended; of the others nothing is known but that they are there.
func awaitEnd(ctx context.Context, h home.Home, followed id.Formation, holder host) {
	ref, state := process.OpenIdentity(holder.Identity)
	if ref == nil {
		if state.Kind != process.Gone {
			<-ctx.Done()
		}
		return
	}
	defer ref.Close()
	conn, err := letIn(ctx, h, holder)
	if err == nil && awaitWord(ctx, conn, followed) || err != nil && holder.marked {
		return
	}
	select {
	case <-ref.Exited():
	case <-ctx.Done():
	}
}

// letIn connects to the process as soon as it lets anybody in. One that only a marker names has had the time.
func letIn(ctx context.Context, h home.Home, holder host) (net.Conn, error) {
	if holder.marked {
		conn, _, err := dialOne(ctx, h, []host{holder})
		return conn, err
	}
	return attach.Await(ctx, h, holder.Identity)
}

// awaitWord waits until the process says that the formation has ended; false when it lets nobody in any more, or ctx ends.
func awaitWord(ctx context.Context, conn net.Conn, followed id.Formation) bool {
	heard := make(chan struct{}, 1)
	remote := repl.NewRemote(conn, bell(heard), bell(heard))
	defer remote.Close()
	for {
		if _, view, err := viewOf(ctx, remote, followed); errors.Is(err, errEnded) || view.State == bindings.StateEnded {
			return true
		}
		select {
		case <-heard: // something happened there
		case <-remote.Gone():
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// bell rings for whatever is written.
type bell chan<- struct{}

func (b bell) Write(text []byte) (int, error) {
	select {
	case b <- struct{}{}:
	default:
	}
	return len(text), nil
}
