package child_test

import (
	"syscall"
	"testing"

	"murlua/lifecycle/formation/child"
)

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		status child.Status
		text   string
		code   int
	}{
		{child.Status{}, "status 0", 0},
		{child.Status{Code: 7}, "status 7", 7},
		{child.Status{Code: -1, Signal: syscall.SIGTERM}, "signal 15", 143},
		{child.Status{Code: -1}, "an unknown status", 1}, // who kept the process was killed
	} {
		if text, code := test.status.String(), test.status.ExitCode(); text != test.text || code != test.code {
			t.Errorf("%+v: %q, %d, want %q, %d", test.status, text, code, test.text, test.code)
		}
	}
}
