//go:build unix

package process

import (
	"fmt"
	"os/exec"

	"golang.org/x/sys/unix"
)

// Replace makes this process the named program, which is looked up on PATH: the pid, the terminal and the descriptors that
// this process itself inherited stay, what it opened is closed, and signals that it caught are the program's to handle.
// args begin with the program's name as it is to see it. It returns only to say why it could not be done.
func Replace(name string, args, environ []string) error {
	path, err := exec.LookPath(name)
	if err == nil {
		err = unix.Exec(path, args, environ)
	}
	return fmt.Errorf("cannot become %q: %w", name, err)
}
