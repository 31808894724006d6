package bindings

import "syscall"

// signalByName finds a signal by its name with SIG in front.
func signalByName(name string) (syscall.Signal, bool) {
	signal, ok := map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL}[name]
	return signal, ok
}
