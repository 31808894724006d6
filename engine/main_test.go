package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newHost makes a host that is closed at the end of the test.
func newHost(t testing.TB, options Options) *Host {
	t.Helper()
	h, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Errorf("closing the host: %v", err)
		}
	})
	return h
}

// output runs a script and returns what it printed.
func output(t testing.TB, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out})
	_, err := h.Run(context.Background(), "test.lua", source)
	return out.String(), err
}

// wantOutput runs a script that must succeed.
func wantOutput(t testing.TB, source, want string) {
	t.Helper()
	got, err := output(t, source)
	if err != nil {
		var own *Error
		if errors.As(err, &own) {
			t.Fatalf("%v\n%s\nhint: %s", err, own.Trace, own.Hint)
		}
		t.Fatal(err)
	}
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
