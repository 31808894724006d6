//go:build unix

package formation_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/formation"
)

func TestAPolicyMayAskTheDoorAndTellWhatIsMissing(t *testing.T) {
	r := newRig(t)
	m := capsule("coder", "door ses_standin", "await")
	m.Ready = func(ctx context.Context, probe *formation.Probe) error {
		probe.NotYet("the cache is cold")
		for range 2 { // the event comes once
			for probe.AskDoor(ctx) != "" {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
		}
		return nil
	}
	f := r.launch(plan(m, entry("lead")))
	f.Stop(nil)
	r.wait(f)
	answered, missing := 0, ""
	for _, e := range r.events {
		switch e.Kind {
		case formation.DoorAnswered:
			answered++
		case formation.NotReadyYet:
			missing = e.Member + ": " + e.Detail
		}
	}
	if answered != 1 || missing != "coder: the cache is cold" {
		t.Errorf("door_answered came %d times, not_ready_yet said %q", answered, missing)
	}
}

func TestAPolicysLastWordIsInTheRefusal(t *testing.T) {
	for _, test := range []struct {
		name, want string
		within     time.Duration
		ready      func(ctx context.Context, probe *formation.Probe) error
	}{
		{
			"it gives up", "it will not be ready: the table is gone", 0,
			func(context.Context, *formation.Probe) error { return errors.New("the table is gone") },
		},
		{
			"the time is up", "it was not ready within 3s: the table is empty", 3 * time.Second,
			func(ctx context.Context, _ *formation.Probe) error {
				<-ctx.Done()
				return errors.New("the table is empty")
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			m := capsule("coder", "door ses_standin", "await")
			m.Ready, m.ReadyWithin = test.ready, test.within
			reason := onlyReason(t, r.refused(plan(m, entry("lead"))))
			if reason.Kind != formation.NotReady || !strings.HasPrefix(reason.String(), test.want) {
				t.Errorf("%s: %s, want %s", reason.Kind, reason, test.want)
			}
		})
	}
}
