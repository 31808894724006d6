package contain

import (
	"fmt"
	"strings"
)

// Class names a way of keeping a command's processes together. The zero value means "the best there is".
type Class string

// The classes, from the weakest promise to the strongest; see the package comment for what each reaches.
const (
	Group   Class = "group"
	Tracked Class = "tracked"
	Cgroup  Class = "cgroup"
	Sealed  Class = "sealed"
	Job     Class = "job"
)

// ParseClass reads a class name as a user gives it. The empty string is the zero class.
func ParseClass(name string) (Class, error) {
	switch c := Class(name); c {
	case "", Group, Tracked, Cgroup, Sealed, Job:
		return c, nil
	}
	return "", fmt.Errorf("cannot use containment %q: the classes are group, tracked, cgroup, sealed and, on Windows, job", name)
}

// Finding says whether one class can be had on this machine by this user.
type Finding struct {
	Class     Class
	Available bool
	// Why says in a few words what an available class rests on, or why an unavailable one cannot be had.
	Why string
}

// Report is what [Probe] found, in the order of the constants above.
type Report []Finding

// Best returns the class used when none is demanded: the strongest available one that does not change what the
// command sees. [Sealed] does (pids differ inside), so it is only had on demand.
func (r Report) Best() Class {
	best := Group
	for _, f := range r {
		if f.Available && f.Class != Sealed {
			best = f.Class
		}
	}
	return best
}

// Choose returns the class to use. A demanded class that cannot be had is refused with an [*UnavailableError],
// never replaced by a weaker one.
func (r Report) Choose(demanded Class) (Class, error) {
	if demanded == "" {
		return r.Best(), nil
	}
	for _, f := range r {
		if f.Class == demanded {
			if f.Available {
				return demanded, nil
			}
			return "", &UnavailableError{Class: demanded, Why: f.Why, Available: r.available()}
		}
	}
	return "", &UnavailableError{Class: demanded, Why: "this platform does not have it", Available: r.available()}
}

func (r Report) available() []Class {
	var have []Class
	for _, f := range r {
		if f.Available {
			have = append(have, f.Class)
		}
	}
	return have
}

// UnavailableError refuses a containment class that was asked for by name.
type UnavailableError struct {
	Class     Class
	Why       string
	Available []Class
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("cannot contain by %q: %s", string(e.Class), e.Why)
}

// Hint names what can be had instead.
func (e *UnavailableError) Hint() string {
	names := make([]string, len(e.Available))
	for i, c := range e.Available {
		names[i] = string(c)
	}
	return "available here: " + strings.Join(names, ", ")
}

// Process names one process in a report to people: enough to look for it, never enough to signal it.
type Process struct {
	PID int `json:"pid"`
	// Name is what the kernel calls the program (at most 15 bytes); empty when it could not be read.
	Name string `json:"name,omitempty"`
}

func (p Process) String() string {
	if p.Name == "" {
		return fmt.Sprintf("pid %d", p.PID)
	}
	return fmt.Sprintf("%s (pid %d)", p.Name, p.PID)
}
