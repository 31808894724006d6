package formation

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Ending is how a formation ended. Every member is stopped and reaped.
type Ending struct {
	// Entry is how the entry's process ended, if its end was the formation's. Otherwise nil.
	Entry *Status
	// Cause is what the formation was stopped with: the error given to [Formation.Stop]. Otherwise nil.
	Cause error
	// Stopped has every member that was still running when the stop began, in plan order.
	Stopped []Stopped
	// Members has how each started member's process ended, in plan order.
	Members []MemberEnding
}

// MemberEnding is how one member's process ended.
type MemberEnding struct {
	Name   string
	PID    int
	Status Status
}

// Code is the launcher's exit status: the entry's code, or 128 and the signal that ended it, or 128 and the signal that
// the launcher caught. A formation that was stopped for no such reason ended well: 0.
func (e Ending) Code() int {
	var caught *Interruption
	switch {
	case e.Entry != nil:
		return e.Entry.ExitCode()
	case errors.As(e.Cause, &caught):
		return 128 + int(caught.Signal)
	}
	return 0
}

// Stop asks the formation to end and returns at once; [Formation.Wait] tells when it has. why becomes
// [Ending.Cause]: an [*Interruption] for a caught signal, nil for no particular reason. Only the first call's counts.
func (f *Formation) Stop(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopAsked {
		return
	}
	f.stopAsked = true
	f.asked <- why
}

// Kill is Stop without the grace: what runs is killed. It also cuts the grace of a stop that is under way.
func (f *Formation) Kill(why error) {
	f.Stop(why)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hurried {
		f.hurried = true
		close(f.hurry)
	}
}

// Wait returns how the formation ended, when everything is stopped and reaped and every event delivered. It
// returns the cause of ctx when that ends first, which does nothing to the formation. A formation with an entry that
// was not started does not end by itself.
func (f *Formation) Wait(ctx context.Context) (Ending, error) {
	select {
	case <-f.ended:
		return f.ending, nil
	case <-ctx.Done():
		return Ending{}, context.Cause(ctx)
	}
}

// Ended returns a channel that closes when [Formation.Wait] returns at once.
func (f *Formation) Ended() <-chan struct{} { return f.ended }

// conduct is the goroutine that ends a launched formation.
func (f *Formation) conduct() {
	var ending Ending
	detail := "it was asked to"
	var entry *child
	var entryExited <-chan struct{}
waiting:
	for {
		select {
		case entry = <-f.entry:
			entryExited = entry.exited
		case <-entryExited:
			status := entry.status
			ending.Entry = &status
			detail = "the entry exited with " + status.String()
			break waiting
		case ending.Cause = <-f.asked:
			if ending.Cause != nil {
				detail = ending.Cause.Error()
			}
			break waiting
		}
	}
	f.closeEntrance()
	ending.Stopped = f.stopAll(detail)
	ending.Members = f.memberEndings()
	f.ending = ending
	f.finish()
	close(f.ended)
}

// closeEntrance lets no entry start any more. One that is just being spawned is waited for, so that the stop sees it.
func (f *Formation) closeEntrance() {
	f.spawning.Lock()
	defer f.spawning.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopAsked = true
}

// started returns the started processes in plan order.
func (f *Formation) started() []*child {
	var all []*child
	for _, m := range f.plan.Members {
		s := f.slots[m.Name]
		s.mu.Lock()
		if s.child != nil {
			all = append(all, s.child)
		}
		s.mu.Unlock()
	}
	return all
}

// stopAll ends every member and returns those that were running when it began. Those are noted before the first
// lifeline closes: a member may end on its own at that moment. Members that started after others are stopped before
// them; all others at the same time.
func (f *Formation) stopAll(why string) []Stopped {
	f.events.emit(Event{Kind: Stopping, Detail: why})
	processes := f.started()
	var stopped []Stopped
	for _, p := range processes {
		if p.running() {
			stopped = append(stopped, Stopped{Name: p.member.Name, PID: p.pid})
		}
	}
	for _, wave := range f.stopOrder() {
		var all sync.WaitGroup
		for _, p := range processes {
			if slices.Contains(wave, p.member.Name) {
				all.Go(func() { p.stop(f.hurry) })
			}
		}
		all.Wait()
	}
	return stopped
}

// stopOrder is the start order backwards. The entry is in the first wave: it depends on nothing by being the entry.
func (f *Formation) stopOrder() [][]string {
	order := f.plan.Order()
	if entry, ok := f.plan.Entry(); ok && len(order) > 1 {
		order = order[:len(order)-1]
		last := len(order) - 1
		order[last] = append(order[last], entry.Name)
	}
	slices.Reverse(order)
	return order
}

func (f *Formation) memberEndings() []MemberEnding {
	var endings []MemberEnding
	for _, p := range f.started() {
		endings = append(endings, MemberEnding{Name: p.member.Name, PID: p.pid, Status: p.status})
	}
	return endings
}

// finish releases what members that never started would have got, forgets the key, and delivers the last event.
func (f *Formation) finish() {
	for _, s := range f.slots {
		if s.line != nil {
			s.line.Close()
		}
	}
	f.secrets = nil
	f.events.emit(Event{Kind: Ended})
	f.events.close()
}
