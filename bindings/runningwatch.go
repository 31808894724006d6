package bindings

import (
	"context"
	"errors"
	"time"

	"murlua/engine"
	"murlua/lifecycle/running"
	"murlua/platform/watch"
)

var runningWatchType = &engine.Type{
	Name: "record watch", Class: "mur.RecordWatch",
	Methods: map[string]engine.Function{"next": runningWatchNext, "close": runningWatchClose},
	String:  func(any) string { return "watch of running records" },
}

func (w *World) runningWatch(c *engine.Call) error {
	h, err := w.home()
	if err != nil {
		return err
	}
	var watcher *running.Watcher
	err = c.Block(func(context.Context) (err error) {
		watcher, err = running.Watch(h)
		return err
	})
	if errors.Is(err, watch.ErrUnsupported) {
		return &engine.Error{Kind: "unsupported", Message: err.Error(), Cause: err}
	}
	if err != nil {
		return err
	}
	c.Host().OnClose(func(context.Context) error { watcher.Close(); return nil })
	return c.Return(runningWatchType.Box(watcher))
}

func runningWatchNext(c *engine.Call) error {
	watcher := c.Self().(*running.Watcher)
	o := c.Options(1)
	limit := o.Duration("timeout", -1)
	o.Done(false)
	var event running.Event
	open, timedOut := false, false
	err := c.Block(func(ctx context.Context) error {
		var late <-chan time.Time
		if limit >= 0 {
			timer := time.NewTimer(limit)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case event, open = <-watcher.Events():
			return nil
		case <-late:
			timedOut = true
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	switch {
	case err != nil:
		return err
	case timedOut:
		return c.Return(nil, timeoutError("nothing happened to %s within %v", "the records", limit))
	case !open && watcher.Err() != nil:
		return c.Return(nil, &engine.Error{Kind: "closed", Message: watcher.Err().Error(), Cause: watcher.Err()})
	case !open:
		return c.Return(nil, &engine.Error{Kind: "closed", Message: "the watch is closed"})
	}
	return c.Return(recordEventFields(event))
}

func recordEventFields(event running.Event) map[string]any {
	if event.Kind == running.CaughtUp {
		return map[string]any{"kind": "caught_up"}
	}
	fields := map[string]any{
		"kind": event.Kind.String(), "record": RecordFields(event.Record), "state": event.State.Kind.String(),
	}
	if event.State.Reason != "" {
		fields["reason"] = event.State.Reason
	}
	return fields
}

func runningWatchClose(c *engine.Call) error {
	watcher := c.Self().(*running.Watcher)
	return c.Block(func(context.Context) error { watcher.Close(); return nil })
}
