//go:build unix

package shell

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	for command, want := range map[string]struct{ status, signal int }{
		"true": {}, "exit 3": {status: 3}, "kill -9 $$": {signal: 9}, "cat >/dev/null; exit 1": {status: 1},
		"sleep 30 & exit 4": {status: 4}, "no_such_command_at_all": {status: 127},
	} {
		var out bytes.Buffer
		status, signal, err := Runner{}.Run(t.Context(), command, strings.NewReader("input"), &out, &out)
		if err != nil || status != want.status || signal != want.signal {
			t.Errorf("%q: %d, %d, %v", command, status, signal, err)
		}
	}
	var out bytes.Buffer
	if _, _, err := (Runner{Folder: "/", Environ: []string{"X=y"}}).Run(t.Context(), "echo $X $(pwd); cat", strings.NewReader("in"), &out, nil); err != nil || out.String() != "y /\nin" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestStopKillsTheGroup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	time.AfterFunc(30*time.Millisecond, func() { cancel(reason) })
	var out bytes.Buffer
	if _, _, err := (Runner{}).Run(ctx, "sleep 60 | sleep 60; echo done", nil, &out, &out); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}
