package stop

import (
	"context"
	"path/filepath"
	"time"

	"murlua/platform/watch"
)

// changes returns a channel that gets a value when the file may have changed, and is closed when ctx ends. Where
// files cannot be watched it is asked for ten times a second, as murmur does.
func changes(ctx context.Context, path string) <-chan struct{} {
	changed := make(chan struct{})
	watcher, err := watch.Open(filepath.Dir(path), watch.Options{})
	go func() { // ends with ctx
		defer close(changed)
		if err == nil {
			defer func() { _ = watcher.Close() }()
		}
		for {
			if err == nil {
				if _, failed := watcher.Next(ctx); failed != nil {
					return
				}
			} else {
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
					return
				}
			}
			select {
			case changed <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return changed
}
