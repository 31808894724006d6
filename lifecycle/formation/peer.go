package formation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

// startPeer starts one peer and returns nil when it is ready or when the launch is abandoned, and the reason
// when it failed. A process that it started is in the member's slot, whatever came of it: the formation stops it.
func (f *Formation) startPeer(ctx context.Context, index int, m *Member) *Reason {
	if !f.awaitOthers(ctx, m) {
		return nil
	}
	workdir, err := f.makeWorkdir(m)
	if err != nil {
		return &Reason{Kind: NotStarted, Why: err.Error()}
	}
	p, err := f.spawnPeer(index, m, workdir)
	if err != nil {
		return &Reason{Kind: NotStarted, Why: err.Error()}
	}
	within := m.ReadyWithin
	if within <= 0 {
		within = f.options.ReadyWithin
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errDeadline)
	defer cancel()
	s := starting{f: f, m: m, p: p, within: within, probe: Probe{Name: m.Name, PID: p.pid, Workdir: workdir, Log: p.log}}
	var token credential.Secret
	if m.hasDoor() {
		var reason *Reason
		if token, reason = s.awaitReport(ctx); reason != nil || context.Cause(ctx) == errAbandoned {
			return reason
		}
	}
	if reason := s.awaitReady(ctx, token); reason != nil || context.Cause(ctx) != nil {
		return reason
	}
	f.becomeReady(m, s.probe, token)
	return nil
}

// errDeadline is the cause of a start context at the member's own deadline.
var errDeadline = errors.New("the deadline passed")

// awaitOthers waits until those that the member starts after are ready; false when the launch is abandoned first.
func (f *Formation) awaitOthers(ctx context.Context, m *Member) bool {
	if len(m.After) > 0 {
		f.events.emit(Event{Kind: Waiting, Member: m.Name})
	}
	for _, before := range m.After {
		select {
		case <-f.slots[before].ready:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

func (f *Formation) becomeReady(m *Member, probe Probe, token credential.Secret) {
	s := f.slots[m.Name]
	capsule, version := m.capsule()
	s.mu.Lock()
	s.peer = Peer{Name: m.Name, Capsule: capsule, Version: version, PID: probe.PID,
		Session: probe.Session, URL: probe.URL, Workdir: probe.Workdir, Token: token}
	s.mu.Unlock()
	f.events.emit(Event{Kind: Ready, Member: m.Name, PID: probe.PID, Session: probe.Session, URL: probe.URL})
	close(s.ready)
}

// spawnPeer starts the process of a peer and its readers.
func (f *Formation) spawnPeer(index int, m *Member, workdir string) (*child, error) {
	if m.Command != nil {
		return nil, errors.New("commands cannot be started yet")
	}
	binary, err := f.options.binary(m)
	if err != nil {
		return nil, err
	}
	s := f.slots[m.Name]
	ch, err := openChannel(f.secrets.firstLine(f.plan, m))
	if err != nil {
		return nil, err
	}
	stdout, stdoutEnd, err := os.Pipe()
	if err != nil {
		ch.abandon()
		return nil, fmt.Errorf("its output could not be connected: %w", err)
	}
	stderr, stderrEnd, err := os.Pipe()
	if err != nil {
		ch.abandon()
		closeAll(stdout, stdoutEnd)
		return nil, fmt.Errorf("its output could not be connected: %w", err)
	}
	p := &child{
		member: m, index: index, ownGroup: true, line: s.line, channel: ch,
		stdout: stdout, stderr: stderr,
	}
	err = f.spawn(p, spawnSpec{
		binary: binary, args: peerArgs(m, f.options, s.sha256, workdir), dir: m.Dir,
		stdout: stdoutEnd, stderr: stderrEnd, ownGroup: true,
	}, workdir)
	closeAll(stdoutEnd, stderrEnd)
	if err != nil {
		closeAll(stdout, stderr)
		return nil, fmt.Errorf("%s: %w", binary, err)
	}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// starting is a started peer on its way to ready.
type starting struct {
	f      *Formation
	m      *Member
	p      *child
	within time.Duration
	probe  Probe
	// doorAnswered is set when the event was sent: a policy may ask again.
	doorAnswered atomic.Bool
}

// awaitReport waits for the readiness line and reads it into the probe. Without a reason, ctx says whether
// the launch goes on.
func (s *starting) awaitReport(ctx context.Context) (credential.Secret, *Reason) {
	select {
	case line, ok := <-s.p.out.report:
		if !ok {
			return credential.Secret{}, s.exitedBeforeReporting(ctx)
		}
		report, reason := readReport(line, string(s.f.options.ID))
		if reason != nil {
			return credential.Secret{}, reason
		}
		s.probe.Session, s.probe.URL = report.session, report.url
		s.f.events.emit(Event{Kind: Reported, Member: s.m.Name, PID: s.p.pid, Session: report.session, URL: report.url})
		return report.token, nil
	case <-ctx.Done():
		if context.Cause(ctx) == errDeadline {
			return credential.Secret{}, &Reason{Kind: DidNotReport, Deadline: s.within}
		}
		return credential.Secret{}, nil
	}
}

// exitedBeforeReporting is reached when standard output ended. The exit is a moment behind; a process that closed its
// output and stays is as good as gone, and is ended.
func (s *starting) exitedBeforeReporting(ctx context.Context) *Reason {
	wait := time.NewTimer(exitAfterEOF)
	defer wait.Stop()
	select {
	case <-s.p.exited:
	case <-wait.C:
		s.p.killNow()
		<-s.p.exited
	case <-ctx.Done():
		if context.Cause(ctx) != errDeadline {
			return nil
		}
		s.p.killNow()
		<-s.p.exited
	}
	return s.exit(ExitedBeforeReporting)
}

// exit makes the reason of a process that ended too early. The tail is complete when the stream has ended,
// which a process that holds the pipe can put off only so long.
func (s *starting) exit(kind string) *Reason {
	wait := time.NewTimer(tailWait)
	defer wait.Stop()
	select {
	case <-s.p.out.stderrEnded:
	case <-wait.C:
	}
	return &Reason{Kind: kind, Status: s.p.status, StderrTail: s.p.log.stderrTail()}
}

// awaitReady asks the member's policy, or its door, until the answer is yes, the process ends, or ctx does.
func (s *starting) awaitReady(ctx context.Context, token credential.Secret) *Reason {
	ask, kind := s.m.Ready, ExitedBeforeReady
	last := ""
	if ask == nil {
		if !s.m.hasDoor() {
			return nil
		}
		kind = ExitedBeforeDoorAnswered
		ask = func(ctx context.Context, _ *Probe) error { return s.awaitDoor(ctx, token, &last) }
	}
	s.probe.AskDoor = func(ctx context.Context) string { return s.askDoor(ctx, token) }
	s.probe.NotYet = func(why string) {
		s.f.events.emit(Event{Kind: NotReadyYet, Member: s.m.Name, PID: s.p.pid, Session: s.probe.Session, URL: s.probe.URL, Detail: why})
	}
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answer := make(chan error, 1)
	go func() { answer <- ask(asking, &s.probe) }()
	exited := s.p.exited
	for {
		select {
		case <-exited:
			stop(errExited)
			exited = nil
			// Whatever the policy answers now: a member that has ended is not ready. Its goroutine is
			// waited for all the same.
			<-answer
			if cause := context.Cause(ctx); cause != nil && cause != errDeadline {
				return nil
			}
			return s.exit(kind)
		case err := <-answer:
			return s.answered(ctx, err, kind, last)
		}
	}
}

// errExited is the cause of a policy's context when the process has ended.
var errExited = errors.New("the process exited")

func (s *starting) answered(ctx context.Context, err error, kind, last string) *Reason {
	cause := context.Cause(ctx)
	switch {
	case err == nil && !s.p.running():
		return s.exit(kind)
	case err == nil:
		return nil
	case cause != nil && cause != errDeadline:
		return nil // abandoned
	case !s.p.running():
		return s.exit(kind)
	case s.m.Ready == nil:
		return &Reason{Kind: DoorDidNotAnswer, URL: s.probe.URL, Session: s.probe.Session, Deadline: s.within, Why: last}
	}
	reason := &Reason{Kind: NotReady, Why: err.Error(), StderrTail: s.p.log.stderrTail()}
	if cause == errDeadline {
		reason.Deadline = s.within
	}
	return reason
}

// askDoor probes once and returns "" when the door answers as the reported session, else what it said.
func (s *starting) askDoor(ctx context.Context, token credential.Secret) string {
	if !s.m.hasDoor() {
		return "the member is a command and has no door"
	}
	session, err := door.Probe(ctx, s.probe.URL, token)
	word := doorAnswersAs(session, err, s.probe.Session)
	if word == "" && !s.doorAnswered.Swap(true) {
		s.f.events.emit(Event{Kind: DoorAnswered, Member: s.m.Name, PID: s.p.pid, Session: session, URL: s.probe.URL})
	}
	return word
}

// awaitDoor probes until the door answers as the reported session. It leaves the last probe's word in last.
func (s *starting) awaitDoor(ctx context.Context, token credential.Secret, last *string) error {
	*last = "none was made"
	for pause := firstProbePause; ; pause = nextPause(pause) {
		word := s.askDoor(ctx, token)
		if word == "" {
			return nil
		}
		// A probe that the deadline cut short says nothing about the door.
		if ctx.Err() == nil || *last == "none was made" {
			*last = word
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}
