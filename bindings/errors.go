package bindings

import (
	"errors"
	"time"

	"murlua/engine"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/formation"
)

// KindLaunch is the kind of the error object for a formation that could not be launched. Its fields failed and stopped
// say more, its message everything.
const KindLaunch = "launch_failed"

// KindRunning is the kind of the error object for a formation whose name another one has. Its fields say which.
const KindRunning = "already_running"

// toScript gives an error of the lifecycle packages the kind and the fields that scripts see. Errors that need
// neither pass through.
func toScript(err error) error {
	if launch, ok := errors.AsType[*formation.LaunchError](err); ok {
		return launchError(launch)
	}
	if taken, ok := errors.AsType[*claim.TakenError](err); ok {
		return takenError(taken)
	}
	return doorError(rosterError(err))
}

func takenError(taken *claim.TakenError) error {
	fields := map[string]any{"name": taken.Name}
	if h := taken.Holder; h != nil {
		fields["formation_id"], fields["pid"], fields["started_at"] = string(h.Formation), h.PID, h.StartedAt.Format(time.RFC3339)
	}
	return &engine.Error{Kind: KindRunning, Message: taken.Error(), Hint: taken.Hint(), Cause: taken, Fields: fields}
}

func launchError(launch *formation.LaunchError) error {
	failed := []map[string]any{}
	for _, f := range launch.Failed {
		failed = append(failed, map[string]any{
			"name": f.Name, "reason": f.Reason.Kind, "message": f.Reason.String(), "tail": f.Reason.StderrTail,
		})
	}
	stopped := []string{}
	for _, s := range launch.Stopped {
		stopped = append(stopped, s.Name)
	}
	return &engine.Error{
		Kind: KindLaunch, Message: launch.Error(), Cause: launch,
		Fields: map[string]any{"failed": failed, "stopped": stopped},
	}
}
