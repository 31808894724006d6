package contain

// A Leftover is what a host that is gone left behind: a base of cgroup leaves that names its maker.
type Leftover struct {
	Dir   string    // the base's directory
	Procs []Process // what still runs in it
}
