package bindings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"murlua/engine"
	"murlua/platform/watch"
)

// fileWatch is a running watch and the path that it was asked for.
type fileWatch struct {
	path    string
	watcher *watch.Watcher
}

var watchType = &engine.Type{
	Name: "watch", Class: "mur.Watch",
	Methods: map[string]engine.Function{"next": watchNext, "close": watchClose},
	String:  func(v any) string { return "watch of " + v.(*fileWatch).path },
}

// staged are the files that an atomic write makes on its way, murmur's and ours: nobody waits for those.
var staged = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|/)\.[^/]+\.\d+\.[0-9a-f]{32}\.tmp$`) })

func (w *World) fsWatch(c *engine.Call) error {
	path := c.String(1)
	o := c.Options(2)
	options := watch.Options{Recursive: o.Bool("recursive", false)}
	o.Done(false)
	var watcher *watch.Watcher
	err := c.Block(func(context.Context) (err error) {
		watcher, err = watch.Open(w.path(path), options)
		return err
	})
	if errors.Is(err, watch.ErrUnsupported) {
		return &engine.Error{Kind: "unsupported", Message: err.Error(), Cause: err}
	}
	if err != nil {
		return fileError("watch", path, err)
	}
	c.Host().OnClose(func(context.Context) error { return watcher.Close() })
	return c.Return(watchType.Box(&fileWatch{path, watcher}))
}

func watchNext(c *engine.Call) error {
	watched := c.Self().(*fileWatch)
	o := c.Options(1)
	limit := o.Duration("timeout", -1)
	o.Done(false)
	var event watch.Event
	timedOut := false
	err := c.Block(func(ctx context.Context) (err error) {
		waiting := ctx
		if limit >= 0 {
			var cancel context.CancelFunc
			waiting, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		for event, err = watched.watcher.Next(waiting); err == nil && staged().MatchString(event.Path); {
			event, err = watched.watcher.Next(waiting)
		}
		timedOut = err != nil && waiting.Err() != nil && ctx.Err() == nil
		if timedOut {
			return nil
		}
		return err
	})
	switch {
	case timedOut:
		return c.Return(nil, timeoutError("nothing changed in %q within %v", watched.path, limit))
	case errors.Is(err, watch.ErrClosed):
		return c.Return(nil, &engine.Error{Kind: "closed", Message: err.Error(), Cause: err})
	case err != nil:
		return err
	}
	return c.Return(map[string]any{"path": event.Path, "kind": string(event.Kind)})
}

func watchClose(c *engine.Call) error {
	watched := c.Self().(*fileWatch)
	return c.Block(func(context.Context) error { return watched.watcher.Close() })
}

// timeoutError is what a call that may time out returns beside nil.
func timeoutError(format string, what string, limit time.Duration) *engine.Error {
	return &engine.Error{Kind: engine.KindTimeout, Message: fmt.Sprintf(format, what, limit), Cause: context.DeadlineExceeded}
}
