package bindings

import (
	"errors"

	"murlua/engine"
	"murlua/lifecycle/formation"
)

// Kinds of error objects that the modules raise beside those of the host.
const kindLaunch = "launch_failed" // a formation could not be launched; failed and stopped say more

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
		Kind: kindLaunch, Message: launch.Error(), Cause: launch,
		Fields: map[string]any{"failed": failed, "stopped": stopped},
	}
}
