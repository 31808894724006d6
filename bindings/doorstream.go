package bindings

import (
	"context"
	"errors"
	"io"
	"sync"

	"murlua/engine"
	"murlua/lifecycle/door"
)

// doorStream is a stream of events that a script reads.
type doorStream struct {
	steps
	call   *doorCall
	stream *door.Stream

	mu sync.Mutex // one reader at a time
}

var doorStreamType = &engine.Type{
	Name: "door stream", Class: "mur.DoorStream",
	Methods: map[string]engine.Function{"next": doorStreamNext, "events": doorStreamEvents, "close": doorStreamClose},
	String:  func(v any) string { return "door stream of " + v.(*doorStream).call.target },
}

func (w *World) doorStream(c *engine.Call) error {
	o := c.Options(3)
	message := readMessage(c, o)
	d := w.readDoor(c, o, 0)
	o.Done(false)
	return d.open(c, func(ctx context.Context) (*door.Stream, error) { return d.client.Stream(ctx, message) })
}

func (w *World) doorWatch(c *engine.Call) error {
	o := c.Options(2)
	task := o.String("task", "")
	d := w.readDoor(c, o, 0)
	o.Done(false)
	return d.open(c, func(ctx context.Context) (*door.Stream, error) {
		if task != "" {
			return d.client.Subscribe(ctx, task)
		}
		return d.client.Watch(ctx)
	})
}

// open begins a stream. It goes on when the task that began it ends: it may be another's. The host's end ends it.
func (d *doorCall) open(c *engine.Call, begin func(ctx context.Context) (*door.Stream, error)) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &doorStream{steps: steps{cancel, d.timeout, errDoorTimeout}, call: d}
	err := c.Block(func(task context.Context) error {
		return s.limited(task, func() (err error) {
			if err = d.locate(ctx); err == nil {
				s.stream, err = begin(ctx)
			}
			return err
		})
	})
	if err != nil {
		cancel(nil)
		return s.fail(err)
	}
	c.Host().OnClose(func(context.Context) error { return s.close() })
	return c.Return(doorStreamType.Box(s))
}

func (s *doorStream) fail(err error) error {
	if errors.Is(err, errDoorTimeout) {
		return timeoutError("nothing from the door of %s within %v", s.call.target, s.call.timeout)
	}
	return toScript(err)
}

func doorStreamNext(c *engine.Call) error { return c.Self().(*doorStream).next(c) }

func doorStreamEvents(c *engine.Call) error {
	return c.Return(engine.Function(c.Self().(*doorStream).next))
}

// next returns the next event, nil at the end.
func (s *doorStream) next(c *engine.Call) error {
	var event door.Event
	err := c.Block(func(ctx context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.limited(ctx, func() (err error) {
			event, err = s.stream.Next()
			return err
		})
	})
	switch {
	case errors.Is(err, io.EOF):
		return c.Return(nil)
	case err != nil:
		return s.fail(err)
	}
	return c.Return(eventFields(event))
}

func doorStreamClose(c *engine.Call) error {
	s := c.Self().(*doorStream)
	return c.Block(func(context.Context) error { return s.close() })
}

// close ends the connection; a reader that waits comes back.
func (s *doorStream) close() error {
	s.cancel(context.Canceled)
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.stream.Close()
	return nil
}
