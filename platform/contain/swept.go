package contain

// Swept is what a sweep did.
type Swept struct {
	// Killed are the processes that were ended, Survivors those that could not be (another user's, or stuck in
	// the kernel).
	Killed, Survivors []Process
}
