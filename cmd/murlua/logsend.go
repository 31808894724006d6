package main

import (
	"context"
	"encoding/json"
	"errors"

	"murlua/bindings"
	"murlua/engine/repl"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// untilEnded returns a context that ends with the formation as well: at once when nobody holds it any more. The caller
// calls stop.
func untilEnded(ctx context.Context, h home.Home, followed id.Formation) (within context.Context, stop func(), err error) {
	within, cancel := context.WithCancel(ctx)
	holders, err := launchersOf(h, followed)
	if err != nil {
		cancel() // it has ended
		return within, cancel, nil
	}
	done := make(chan struct{})
	go func() { // ends with within
		defer close(done)
		defer cancel()
		for _, holder := range holders {
			awaitEnd(within, h, followed, holder.Identity)
		}
	}()
	return within, func() { cancel(); <-done }, nil
}

// awaitEnd waits until the process holds the formation no more, or ctx ends. A process that can be asked may go on
// when its formation has ended; of the others nothing is known but that they are there.
func awaitEnd(ctx context.Context, h home.Home, followed id.Formation, holder process.Identity) {
	ref, state := process.OpenIdentity(holder)
	if ref == nil {
		if state.Kind != process.Gone {
			<-ctx.Done()
		}
		return
	}
	defer ref.Close()
	if conn, err := attach.Dial(ctx, h, holder); err == nil {
		heard := make(chan struct{}, 1)
		remote := repl.NewRemote(conn, bell(heard), bell(heard))
		defer remote.Close()
		for listen := true; listen; {
			if holds, known := stillHolds(ctx, remote, followed); known && !holds {
				return
			}
			select {
			case <-heard: // something happened there
			case <-remote.Gone():
				listen = false
			case <-ctx.Done():
				return
			}
		}
	}
	select {
	case <-ref.Exited():
	case <-ctx.Done():
	}
}

// stillHolds asks whether the formation has ended. It is not known of a process that answers no longer.
func stillHolds(ctx context.Context, remote *repl.Remote, followed id.Formation) (holds, known bool) {
	text, err := remote.State(ctx, string(followed))
	if errors.Is(err, repl.ErrGone) {
		return false, false
	}
	var view bindings.FormationView
	if err != nil || json.Unmarshal(text, &view) != nil {
		return false, err != nil // it knows of no such formation
	}
	return view.State != bindings.StateEnded, true
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
