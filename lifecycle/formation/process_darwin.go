package formation

// awaitChild has nothing to wait with that does not reap; kqueue, which the caller tried, is always there on
// this system. The group is then killed before the process has ended by itself only if it ends last.
func awaitChild(int) {}

// markCloseOnExec does nothing: there is no call for all descriptors at once.
func markCloseOnExec() {}
