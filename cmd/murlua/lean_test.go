package main

import (
	"runtime/debug"
	"testing"
)

// What the garbage collector was told before is what it is told afterwards, and a wish for less of it is left alone.
func TestLeanLeavesTheCollectorAsItWas(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, test := range []struct{ usual, during int }{{100, startPercent}, {50, startPercent}, {800, 800}, {-1, -1}} {
		debug.SetGCPercent(test.usual)
		saving := newLean()
		if got := debug.SetGCPercent(test.during); got != test.during {
			t.Errorf("GOGC=%d is %d while a recipe starts, want %d", test.usual, got, test.during)
		}
		saving.close()
		if got := debug.SetGCPercent(test.usual); got != test.usual {
			t.Errorf("GOGC=%d has become %d", test.usual, got)
		}
	}
}
