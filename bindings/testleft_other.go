//go:build !linux

package bindings

import (
	"context"

	"murlua/engine/scenario"
)

// markedProcesses finds nothing here: there is no way to see which processes carry a mark.
func markedProcesses(string) ([]scenario.Left, error) { return nil, nil }

func killMarked(context.Context, string, string) string { return "cannot be found on this platform" }
