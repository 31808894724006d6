//go:build !linux

package watch

import (
	"context"
	"fmt"
)

// Watcher is a running watch. There is none on this system.
type Watcher struct{}

// Open fails with [ErrUnsupported].
func Open(path string, _ Options) (*Watcher, error) {
	return nil, fmt.Errorf("cannot watch %q: %w", path, ErrUnsupported)
}

// Next returns [ErrClosed].
func (*Watcher) Next(context.Context) (Event, error) { return Event{}, ErrClosed }

// Close does nothing.
func (*Watcher) Close() error { return nil }
