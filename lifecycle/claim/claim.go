package claim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

const (
	// settleWithin is how long a name may be locked by somebody who does not say who it is: between the lock and the
	// text, and between the end of a process and the kernel's letting go of its lock, there are microseconds.
	settleWithin = 2 * time.Second
	// The first and the longest wait before a name is looked at again: nobody tells when its file changes.
	firstLook, longestLook = time.Millisecond, 50 * time.Millisecond
)

// Claim is a name that this process has. It is safe for concurrent use.
type Claim struct{ lock *fsx.Lock }

// Take takes the name, a valid member name (see [id.ValidMember]), for a formation of this process. The caller gives it
// back with [Claim.Release]; it ends with the process at the latest. A name that somebody has, this process too, is
// refused with a [*TakenError]. Other errors: the home cannot be written to; what is in the place of the file is no file
// and not ours to remove; the cause of ctx, which bounds the wait of two seconds at most for one who does not say who it is.
func Take(ctx context.Context, h home.Home, name string, formation id.Formation) (*Claim, error) {
	if !id.ValidMember(name) {
		return nil, fmt.Errorf("cannot take the name %q: it is not a lower-case letter and up to 31 more of a-z, 0-9 and -", name)
	}
	own, err := process.Current()
	if err != nil {
		return nil, fmt.Errorf("cannot take the name %q: %w", name, err)
	}
	dir, err := h.EnsureNames()
	if err != nil {
		return nil, fmt.Errorf("cannot take the name %q: %w", name, err)
	}
	removeAbandoned(dir, name)
	lock, err := lockName(ctx, filepath.Join(dir, name), name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(Holder{
		Name: name, Formation: formation, Identity: own, Origin: own.Origin, StartedAt: time.Now().UTC().Truncate(time.Second),
	})
	if err == nil {
		err = lock.Write(append(text, '\n'))
	}
	if err != nil {
		_ = lock.Remove()
		return nil, fmt.Errorf("cannot take the name %q: %w", name, err)
	}
	return &Claim{lock}, nil
}

// lockName locks the name's file, or says who has it.
func lockName(ctx context.Context, path, name string) (*fsx.Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, settleWithin, errUnsettled)
	defer cancel()
	for wait := firstLook; ; wait = min(2*wait, longestLook) {
		lock, err := fsx.TryLock(path)
		if err == nil {
			return lock, nil
		}
		if errors.Is(err, fsx.ErrNotRegular) {
			err = fmt.Errorf("%w; nothing of ours: remove it", err)
		}
		if !errors.Is(err, fsx.ErrLocked) {
			return nil, fmt.Errorf("cannot take the name %q: %w", name, err)
		}
		// Somebody has the lock. What the file says is of the one before while the next has not written yet.
		if holder, err := read(path); err == nil && holder.state().Kind != process.Gone {
			return nil, &TakenError{Name: name, Holder: &holder}
		}
		again := time.NewTimer(wait)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			if cause := context.Cause(ctx); !errors.Is(cause, errUnsettled) {
				return nil, fmt.Errorf("cannot take the name %q: %w", name, cause)
			}
			return nil, &TakenError{Name: name}
		}
	}
}

var errUnsettled = errors.New("nobody said who has the name")

// Release gives the name back, and removes its file. Calls after the first, and on nil, do nothing.
func (c *Claim) Release() {
	if c != nil {
		_ = c.lock.Write(nil) // where an open file cannot be removed, it names nobody at least
		_ = c.lock.Remove()   // the lock ends with its descriptor whatever becomes of the file
	}
}

// TakenError refuses a name that a formation has.
type TakenError struct {
	Name string
	// Holder is who has it; nil when that could not be found out: it is being taken or given back just now.
	Holder *Holder
}

func (e *TakenError) Error() string {
	if e.Holder == nil {
		return fmt.Sprintf("cannot launch formation %q: somebody is just starting or ending it, and does not say who", e.Name)
	}
	text := fmt.Sprintf("cannot launch formation %q: it is running already, as %s in process %d, since %s",
		e.Name, e.Holder.Formation, e.Holder.PID, e.Holder.StartedAt.Format(time.RFC3339))
	if state := e.Holder.state(); state.Kind == process.Unverified {
		text += "; that process cannot be verified from here: " + state.Reason
	}
	return text
}

// Hint says what to do.
func (e *TakenError) Hint() string {
	switch {
	case e.Holder == nil:
		return "try again in a moment"
	case e.Holder.ours():
		return "this process launched it: stop that one first, or give this one another name"
	}
	return "`murlua stop " + string(e.Holder.Formation) + "` stops it"
}
