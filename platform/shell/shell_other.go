//go:build !unix

package shell

import "os/exec"

func interpreter(command string) (name string, args []string) {
	return "cmd", []string{"/C", command}
}

// ownGroup does nothing: only the command itself is killed here.
func ownGroup(*exec.Cmd) {}

func exitSignal(*exec.ExitError) int { return 0 }
