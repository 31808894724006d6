package process

import (
	"errors"
	"fmt"
	"math"
	"os"
)

// Identity names one process for ever.
type Identity struct {
	// PID is its number, 1 to 2^31-1. Any other number is held by no process.
	PID int `json:"pid"`
	// Start is its start token, see [StartToken]. An empty one differs from every token.
	Start string `json:"process_start"`
	// Origin is where number and token are valid. The zero Origin claims nothing, and the two are then
	// taken to be of this boot, this machine and this namespace.
	Origin Origin `json:"-"`
}

// Kind is what is known about a process.
type Kind int

const (
	// Unverified: something holds the number, and whether it is the process that is meant could not be
	// told. It is not to be signalled, and what belongs to it not to be removed.
	Unverified Kind = iota
	// Alive: the process runs.
	Alive
	// Gone: the process is proven to have ended.
	Gone
)

// String returns "unverified", "alive" or "gone".
func (k Kind) String() string {
	switch k {
	case Alive:
		return "alive"
	case Gone:
		return "gone"
	default:
		return "unverified"
	}
}

// State is what [Inspect] found.
type State struct {
	Kind Kind
	// Reason says why, for people; programs of murmur match on the three texts that they share with
	// this package. It is empty when the process is alive.
	Reason string
}

func alive() State            { return State{Kind: Alive} }
func noProcess(pid int) State { return State{Gone, fmt.Sprintf("no process holds pid %d", pid)} }
func otherStart(pid int) State {
	return State{Gone, fmt.Sprintf("pid %d is held by a process that started at another time", pid)}
}

func unreadableStart(pid int) State {
	return State{Unverified, fmt.Sprintf("pid %d's start time could not be read", pid)}
}

// withoutHold is a process that could not be taken hold of, and what to do about it.
func withoutHold(pid int, err error) State {
	reason := fmt.Sprintf("pid %d could not be examined: %v", pid, err)
	if outOfDescriptors(err) {
		reason += "; close some, or raise the limit (ulimit -n), and try again"
	}
	return State{Unverified, reason}
}

// Classify combines readings that were taken already: whether pid is held by a process that has not
// exited, and, read afterwards, the start token of its holder, with a tokenErr when that could not be
// read. It is what [Inspect] does for an identity without an [Origin].
func Classify(id Identity, held bool, token string, tokenErr error) State {
	switch {
	case !held:
		return noProcess(id.PID)
	case tokenErr != nil:
		return unreadableStart(id.PID)
	case token != id.Start:
		return otherStart(id.PID)
	}
	return alive()
}

// Inspect says whether the process is still there. It opens and closes one or two descriptors and
// waits for nothing. A process that has exited and was not waited for yet (a zombie) is gone; one
// whose first thread ended while others run is alive.
func Inspect(id Identity) State {
	process, state := verify(id, surroundings())
	if process != nil {
		process.close()
	}
	return state
}

// Identify takes the identity of the process that holds pid now. The error wraps
// [os.ErrProcessDone] when none does. Whether it is the process the caller means is the caller's to
// know: true of an own child that was not waited for, and of oneself.
func Identify(pid int) (Identity, error) {
	id, err := identify(pid, surroundings())
	if err != nil {
		return Identity{}, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	return id, nil
}

// Current takes the identity of this process.
func Current() (Identity, error) { return Identify(os.Getpid()) }

// StartToken reads when the process that holds pid was started, as a text that is compared and never
// interpreted: on Linux field 22 of /proc/<pid>/stat (clock ticks since boot), on macOS
// "<seconds>.<microseconds>", on Windows the creation time. The error wraps [os.ErrProcessDone] when
// it is known that nothing holds pid.
func StartToken(pid int) (string, error) {
	if !possible(pid) {
		return "", fmt.Errorf("cannot read the start time of process %d: %w", pid, os.ErrProcessDone)
	}
	token, err := startToken(pid, surroundings())
	if err != nil {
		return "", fmt.Errorf("cannot read the start time of process %d: %w", pid, err)
	}
	return token, nil
}

// possible reports whether a process can hold the number. kill(2) reads 0 and negative numbers as
// whole groups.
func possible(pid int) bool { return pid >= 1 && pid <= math.MaxInt32 }

// verify takes hold of the process and compares it with id. The process is nil unless the state is
// Alive; the caller closes it.
//
// The order matters: first hold, then read the facts, then see that the process had not exited by
// then. What was read in between is then its own, since its number cannot be handed on before it has
// exited.
func verify(id Identity, here here) (*held, State) {
	if !possible(id.PID) {
		return nil, noProcess(id.PID)
	}
	place := compareOrigin(id, here)
	if place.decided {
		return nil, place.state
	}
	process, err := hold(id.PID)
	switch {
	case errors.Is(err, os.ErrProcessDone):
		return nil, noProcess(id.PID)
	case err != nil && outOfDescriptors(err):
		return nil, withoutHold(id.PID, err)
	case err != nil:
		return nil, unreadableStart(id.PID)
	}
	state := identityOf(process, id, place, here)
	if exited, err := process.exited(); err == nil && exited {
		state = noProcess(id.PID)
	} else if err != nil {
		state = unreadableStart(id.PID)
	}
	if state.Kind != Alive {
		process.close()
		return nil, state
	}
	return process, state
}

// identityOf compares a held process with id, by the strongest fact that both have.
func identityOf(process *held, id Identity, place place, here here) State {
	// The inode is the process's own for as long as the machine runs. It vouches for the token that
	// was recorded with it and for no other.
	if id.Origin.Inode != "" && id.Origin.Start == id.Start && place.sameBoot {
		if inode := process.inode(); inode != "" {
			if inode != id.Origin.Inode {
				return otherStart(id.PID)
			}
			return place.unless(alive())
		}
	}
	if place.foreignTime() {
		return place.state
	}
	token, err := startToken(id.PID, here)
	return Classify(id, true, token, err)
}

func identify(pid int, here here) (Identity, error) {
	if !possible(pid) {
		return Identity{}, os.ErrProcessDone
	}
	process, err := hold(pid)
	if err != nil {
		return Identity{}, err
	}
	defer process.close()
	token, err := startToken(pid, here)
	if err != nil {
		return Identity{}, err
	}
	origin := here.origin
	origin.Inode, origin.Start = process.inode(), token
	origin.ReadAt = now()
	if exited, err := process.exited(); err == nil && exited {
		return Identity{}, os.ErrProcessDone
	} else if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, Start: token, Origin: origin}, nil
}
