//go:build !linux

package main

import (
	"context"
	"os"
)

// untilUnread returns a context that ends with ctx alone: here only the next write tells that nobody reads.
func untilUnread(ctx context.Context, _ *os.File) (within context.Context, stop func()) {
	return context.WithCancel(ctx)
}
