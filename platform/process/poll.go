package process

import "time"

// lookInterval is how often a process is looked at where the kernel has nothing to wake us by.
const lookInterval = 100 * time.Millisecond

// pollExit returns true when the process has exited and false when closed is closed.
func pollExit(process *held, closed <-chan struct{}) bool {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		select {
		case <-closed:
			return false
		default:
		}
		if exited, err := process.exited(); err == nil && exited {
			return true
		}
		select {
		case <-closed:
			return false
		case <-ticker.C:
		}
	}
}
