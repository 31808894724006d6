package process

import (
	"fmt"
	"time"
)

// Origin is where a pid and a start token are valid, as texts that are compared and never
// interpreted, except ReadAt. An empty text claims nothing.
type Origin struct {
	// Boot is the kernel's id of this boot.
	Boot string `json:"boot,omitempty"`
	// Machine and Host are the machine's id and the name of the host. Two machines that were copied
	// from one image have the same id, and one machine may get another name, so only both together
	// are taken for the same machine.
	Machine string `json:"machine,omitempty"`
	Host    string `json:"host,omitempty"`
	// PIDNamespace is in which the number counts.
	PIDNamespace string `json:"pid_namespace,omitempty"`
	// TimeNamespace is in which the token was read: it moves the time of boot.
	TimeNamespace string `json:"time_namespace,omitempty"`
	// Inode is the process's own number, never handed on within one boot, and Start the token that was
	// read together with it.
	Inode string `json:"inode,omitempty"`
	Start string `json:"start,omitempty"`
	// ReadAt is when the facts were read, in Unix seconds.
	ReadAt int64 `json:"read_at,omitempty"`
}

// IsZero reports whether the origin claims nothing.
func (o Origin) IsZero() bool { return o == Origin{} }

// WithoutProcess keeps what is true of every process beside the one that the origin was read for.
func (o Origin) WithoutProcess() Origin {
	o.Inode, o.Start = "", ""
	return o
}

// here is what this process knows about where it is.
type here struct {
	origin Origin
	// bootTime is when this boot began, in Unix seconds, 0 when that cannot be told.
	bootTime int64
	// tokens is nil when start tokens can be read here, and says why not otherwise.
	tokens error
}

// place is how an origin relates to where we are.
type place struct {
	// decided: the state below is final.
	decided bool
	state   State
	// sameBoot: the origin names a boot, and it is ours.
	sameBoot bool
}

// foreignTime reports whether start tokens of here and there cannot be compared; state says so.
func (p place) foreignTime() bool { return p.state.Reason != "" }

// unless returns s, or the state that the place imposes on a process that is there.
func (p place) unless(s State) State {
	if p.foreignTime() {
		return p.state
	}
	return s
}

// compareOrigin says what follows from where an identity was read.
//
// A process of an earlier boot is gone, and that is the only evidence a foreign origin can give. It
// takes more than a boot id that differs, since a container may show an id of its own: the facts must
// also have been read on this machine, before this boot began.
func compareOrigin(id Identity, here here) place {
	there, pid := id.Origin, id.PID
	foreign := func(format string) place {
		return place{decided: true, state: State{Unverified, fmt.Sprintf(format, pid)}}
	}
	sameBoot := there.Boot != "" && there.Boot == here.origin.Boot
	if there.Boot != "" && !sameBoot {
		switch {
		case here.origin.Boot == "":
			return foreign("pid %d was recorded with a boot id, and this boot's cannot be read")
		case there.Machine != here.origin.Machine || there.Host != here.origin.Host:
			return foreign("pid %d was recorded on another machine")
		case there.Machine == "" || here.bootTime == 0 || there.ReadAt == 0 || there.ReadAt >= here.bootTime:
			return foreign("pid %d was recorded under another boot id")
		}
		return place{decided: true, state: State{Gone, fmt.Sprintf("pid %d belonged to an earlier boot of this machine", pid)}}
	}
	if there.PIDNamespace != "" && there.PIDNamespace != here.origin.PIDNamespace {
		return foreign("pid %d was recorded in another pid namespace")
	}
	result := place{sameBoot: sameBoot}
	if there.TimeNamespace != "" && there.TimeNamespace != here.origin.TimeNamespace {
		result.state = State{Unverified, fmt.Sprintf("pid %d was recorded in another time namespace", pid)}
	}
	return result
}

func now() int64 { return time.Now().Unix() }
