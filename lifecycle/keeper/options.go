package keeper

import (
	"errors"
	"os"

	"murlua/platform/contain"
)

// ErrClosed is returned by [Keeper.Start] after [Keeper.Close].
var ErrClosed = errors.New("the keeper is closed")

// ErrEnded is returned by [Kept.Signal] when the command's first process has ended.
var ErrEnded = errors.New("the process has ended")

// Options are the surroundings of a [Keeper]. The zero value is usable in a program whose main calls [Main].
type Options struct {
	// Program is the binary to run as keeper; empty: the running one.
	Program string
	// Report is what the platform offers; nil: [contain.Probe] is asked at the first start.
	Report contain.Report
	// Stderr takes what the keeper itself has to say (a survivor, an internal fault); nil discards it. The keeper
	// may hold it for as long as it needs to clean up after a host that was killed.
	Stderr *os.File
	// Env is added to the keeper's own environment (GODEBUG and the like); no command sees it.
	Env []string
	// Marks is the folder for the note of whose the commands' marks are (package marks), by which the next keeper with this
	// folder ends what is left when host and keeper are killed at once. It is used, and made, at the first start in the
	// class tracked, or by [Keeper.Warm] where that is the best class there is. Empty: there is none, and what is left then
	// stays. Only on Linux do processes carry marks.
	Marks string
}
