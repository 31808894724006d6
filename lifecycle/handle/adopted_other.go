//go:build !linux

package handle

import "syscall"

// kill ends the process.
func (a *adopted) kill() {
	_ = a.ref.Signal(syscall.SIGKILL) // one that has ended meanwhile is what was wanted
	<-a.ref.Exited()
}
