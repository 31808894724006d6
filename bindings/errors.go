package bindings

import (
	"errors"

	"murlua/engine"
	"murlua/lifecycle/formation"
)

// KindLaunch is the kind of the error object for a formation that could not be launched. Its fields failed and stopped
// say more, its message everything.
const KindLaunch = "launch_failed"

// toScript gives an error of the lifecycle packages the kind and the fields that scripts see. Errors that need
// neither pass through.
func toScript(err error) error {
	if launch, ok := errors.AsType[*formation.LaunchError](err); ok {
		return launchError(launch)
	}
	return doorError(rosterError(err))
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
