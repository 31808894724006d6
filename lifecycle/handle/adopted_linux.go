package handle

import (
	"syscall"

	"murlua/platform/contain"
)

// kill ends the process, and everything that carries its mark.
func (a *adopted) kill() {
	_ = a.ref.Signal(syscall.SIGKILL) // one that has ended meanwhile is what was wanted
	<-a.ref.Exited()
	if a.mark != 0 {
		contain.Sweep(
			func() []int { return contain.MarkedExactly(a.mark) },
			func(pid int) bool { return contain.MarkOf(pid) == a.mark }, 0)
	}
}
