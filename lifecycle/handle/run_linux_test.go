package handle

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/keeper"
)

func newKeeper(t *testing.T) *keeper.Keeper {
	k := keeper.New(keeper.Options{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	t.Cleanup(func() { k.Close(context.Background()) })
	return k
}

func TestRunFeedsCollectsAndLeavesNothing(t *testing.T) {
	k := newKeeper(t)
	var out, errs bytes.Buffer
	big := strings.Repeat("0123456789\n", 100_000)
	result, err := Run(t.Context(), k, RunSpec{
		Stages: [][]string{{"/bin/cat"}, {"/bin/sh", "-c", "echo warning >&2; setsid sleep 600 & cat; exit 3"}},
		Env:    testEnv, Stdin: strings.NewReader(big), Stdout: &out, Stderr: &errs,
	})
	if err != nil || result.Status.Code != 3 || out.String() != big || errs.String() != "warning\n" {
		t.Errorf("status %v, %d bytes out, %q, %v", result.Status, out.Len(), errs.String(), err)
	}
	if len(result.Leftovers) != 1 || result.Leftovers[0].Name != "sleep" {
		t.Errorf("leftovers: %v", result.Leftovers)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	k := newKeeper(t)
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	result, err := Run(ctx, k, RunSpec{
		Stages: [][]string{{"/bin/sh", "-c", "trap '' TERM; echo begun; setsid sleep 600 & sleep 600"}}, Env: testEnv, Stdout: &out,
	})
	if !errors.Is(err, context.DeadlineExceeded) || out.String() != "begun\n" || result.Status.Signal != 9 {
		t.Errorf("got %+v, %v, output %q", result, err, out.String())
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := Run(t.Context(), k, RunSpec{Stages: [][]string{{"/bin/sleep", "600"}, {"/no/such"}}, Stdout: &out}); err == nil {
		t.Error("a pipeline whose second stage does not exist ran")
	}
}
