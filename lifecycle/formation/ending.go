package formation

import (
	"context"
	"errors"
	"slices"

	"murlua/lifecycle/formation/child"
)

// Ending is how a formation ended. Every member is stopped and reaped.
type Ending struct {
	// Entry is how the entry's process ended, if its end was the formation's. Otherwise nil.
	Entry *Status
	// Member is the peer whose end was the formation's, as its OnExit had it. Otherwise nil.
	Member *MemberEnding
	// Cause is what the formation was stopped with: the error given to [Formation.Stop]. Otherwise nil.
	Cause error
	// Stopped has every member that was still running when the stop began, in plan order.
	Stopped []Stopped
	// Members has how each started member's latest process ended, in plan order.
	Members []MemberEnding
}

// MemberEnding is how one member's process ended.
type MemberEnding struct {
	Name   string
	PID    int
	Status Status
	// Stop says how far its stop had to go, and what had to be killed or could not be.
	Stop StopReport
}

// Code is the launcher's exit status: the entry's code, or 128 and the signal that ended it, or 128 and the signal that
// the launcher caught; in a formation without an entry that of the member whose end was the formation's. When all
// members ended and none of them mattered it is that of the first that did not end well. A formation that was stopped
// for no such reason ended well: 0.
func (e Ending) Code() int {
	var caught *Interruption
	switch {
	case e.Entry != nil:
		return e.Entry.ExitCode()
	case e.Member != nil:
		return e.Member.Status.ExitCode()
	case errors.As(e.Cause, &caught):
		return 128 + int(caught.Signal)
	case errors.Is(e.Cause, errAllEnded):
		for _, m := range e.Members {
			if code := m.Status.ExitCode(); code != 0 {
				return code
			}
		}
	}
	return 0
}

// errAllEnded is the cause of an ending when no member is left that anybody waits for.
var errAllEnded = errors.New("every member has ended")

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
	ending, detail := f.awaitEnd(f.tendAll())
	f.closeEntrance()
	f.stop()
	ending.Stopped = f.stopAll(detail)
	ending.Members = f.memberEndings()
	f.ending = ending
	f.finish()
	close(f.ended)
}

// awaitEnd returns why the formation ends. tended closes when no peer is left.
func (f *Formation) awaitEnd(tended <-chan struct{}) (ending Ending, detail string) {
	var entry *started
	var exited <-chan struct{}
	if _, has := f.plan.Entry(); has {
		tended = nil // the entry is what counts
	}
	for {
		select {
		case entry = <-f.entry:
			exited = entry.Exited()
		case <-exited:
			status := entry.Status()
			return Ending{Entry: &status}, "the entry exited with " + status.String()
		case member := <-f.over:
			return member.ending()
		case <-tended:
			select {
			case member := <-f.over: // it was the last one
				return member.ending()
			default:
				return Ending{Cause: errAllEnded}, errAllEnded.Error()
			}
		case why := <-f.asked:
			if why == nil {
				return Ending{}, "it was asked to"
			}
			return Ending{Cause: why}, why.Error()
		}
	}
}

// closeEntrance lets nothing start any more. What is just being spawned is waited for, so that the stop sees it.
func (f *Formation) closeEntrance() {
	f.spawning.Lock()
	defer f.spawning.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopAsked = true
}

// processes returns the members' latest processes in plan order.
func (f *Formation) processes() []*started { return f.processesOf(f.plan.names()) }

// processesOf returns the latest processes of members.
func (f *Formation) processesOf(members []string) []*started {
	var all []*started
	for _, name := range members {
		if p := f.slots[name].current(); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// stopAll ends every member and returns those that were running when it began. Those are noted before the first
// lifeline closes: a member may end on its own at that moment. Members that started after others are stopped before
// them; all others at the same time.
func (f *Formation) stopAll(why string) []Stopped {
	f.events.emit(Event{Kind: Stopping, Detail: why})
	var stopped []Stopped
	for _, p := range f.processes() {
		if p.Running() {
			stopped = append(stopped, Stopped{Name: p.member.Name, PID: p.PID()})
		}
	}
	for _, wave := range f.stopOrder() {
		f.stopWave(f.processesOf(wave))
	}
	return stopped
}

// stopWave ends processes at the same time, and returns when that has been told.
func (f *Formation) stopWave(wave []*started) {
	children := make([]*child.Child, len(wave))
	for i, p := range wave {
		f.tellStopping(p)
		children[i] = p.Child
	}
	child.StopAll(f.grace, f.keeper, children)
	for _, p := range wave {
		<-p.settled
	}
}

// tellStopping tells it once: the formation's stop may come while a restart's is under way.
func (f *Formation) tellStopping(p *started) {
	p.stopped.Do(func() {
		if p.Running() {
			f.events.emit(Event{Kind: Stopping, Member: p.member.Name, PID: p.PID()})
		}
	})
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
	for _, p := range f.processes() {
		endings = append(endings, endingOf(p))
	}
	return endings
}

// lastEnding is the exit that ends a formation, and what is told with it.
type lastEnding struct {
	MemberEnding
	why string
}

// ending is the formation's, and why the stop begins.
func (l lastEnding) ending() (ending Ending, detail string) {
	detail = l.Name + " exited with " + l.Status.String()
	if l.why != "" {
		detail += "; " + l.why
	}
	return Ending{Member: &l.MemberEnding}, detail
}

func endingOf(p *started) MemberEnding {
	return MemberEnding{Name: p.member.Name, PID: p.PID(), Status: p.Status(), Stop: p.StopReport()}
}

// finish releases what members that never started would have got, forgets the key, gives the name back and delivers the
// last event.
func (f *Formation) finish() {
	f.following.Wait()
	for _, s := range f.slots {
		if s.line != nil {
			s.line.Close()
		}
	}
	if f.keeper != nil && f.options.Keeper == nil {
		if err := f.keeper.Close(f.grace); err != nil {
			f.options.Warn(err.Error())
		}
	}
	f.named.Release()
	f.secrets = nil
	f.stop()
	f.hurry()
	f.events.emit(Event{Kind: Ended})
	f.events.close()
	f.trace.close()
}
