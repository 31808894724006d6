package formation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"murlua/lifecycle/formation/child"
	"murlua/lifecycle/id"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/lifeline"
	"murlua/lifecycle/running"
)

// spawnPeer starts the process of a peer. Its workdir is where it works.
func (f *Formation) spawnPeer(ctx context.Context, m *Member, workdir string) (*started, error) {
	spec, err := f.spec(m)
	if err != nil {
		return nil, err
	}
	spec.Report = m.hasDoor()
	spec.OnLines, spec.Kept = f.relay.lines, f.keepOutput(m)
	if m.hasDoor() {
		spec.Args = append(spec.Args, peerArgs(m, f.options, f.slots[m.Name].sha256, workdir)...)
		lines := [][]byte{f.secrets.firstLine(f.plan, m)}
		// Who starts after others may need them at once, and who is started again needs all: the line that goes out when
		// every peer is ready is too late for the one and past for the other.
		if line := f.addressLine(m.Name); line != nil && (len(m.After) > 0 || f.slots[m.Name].current() != nil) {
			lines = append(lines, line)
		}
		if spec.Lifeline, spec.Channel, err = f.handOver(m, lines...); err != nil {
			return nil, err
		}
	}
	return f.start(ctx, m, spec, workdir)
}

// spawnEntry starts the entry, in the foreground. Its whole channel is written before it starts: all that it may
// need to know is known.
func (f *Formation) spawnEntry(ctx context.Context, m *Member) (*started, error) {
	spec, err := f.spec(m)
	if err != nil {
		return nil, err
	}
	spec.Foreground, spec.Stdout, spec.Stderr = true, f.options.EntryStdout, f.options.EntryStderr
	if m.hasDoor() {
		spec.Args = append(spec.Args, entryArgs(m, f.options, f.slots[m.Name].sha256)...)
		lines := [][]byte{f.secrets.firstLine(f.plan, m)}
		if line := f.addressLine(m.Name); line != nil {
			lines = append(lines, line)
		}
		if spec.Lifeline, spec.Channel, err = f.handOver(m, lines...); err != nil {
			return nil, err
		}
	}
	return f.start(ctx, m, spec, f.workdirOf(m))
}

// spec is what the starts of all members have in common.
func (f *Formation) spec(m *Member) (child.Spec, error) {
	spec := child.Spec{
		Name: m.Name, Dir: f.options.absolute(m.Dir), Env: f.memberEnv(m), Grace: m.Grace,
		Keeper: f.keeper, Class: m.Containment,
	}
	if spec.Grace <= 0 {
		spec.Grace = f.options.Grace
	}
	if m.Command != nil {
		spec.Path, spec.Args = m.Command.Args[0], m.Command.Args
		spec.Signal = m.StopSignal
		if spec.Signal == 0 {
			spec.Signal = syscall.SIGTERM
		}
		if spec.Grace <= 0 {
			spec.Grace = DefaultCommandGrace
		}
		return spec, nil
	}
	if spec.Grace <= 0 {
		spec.Grace = DefaultGrace
	}
	binary, err := f.options.binary(m)
	spec.Path, spec.Args = binary, []string{binary}
	return spec, err
}

// handOver gives out the member's lifeline and a channel with the lines in it. A member that is started again gets a
// new lifeline.
func (f *Formation) handOver(m *Member, lines ...[]byte) (*lifeline.Line, *child.Channel, error) {
	s := f.slots[m.Name]
	line := s.line
	s.line = nil
	if line == nil {
		var err error
		if line, err = lifeline.New(); err != nil {
			return nil, nil, fmt.Errorf("its lifeline could not be created: %w", err)
		}
	}
	ch, err := child.OpenChannel(lines...)
	if err != nil {
		line.Close()
		return nil, nil, err
	}
	return line, ch, nil
}

// startWithin bounds the start of one process until its program runs.
const startWithin = 30 * time.Second

// started is a member's process on its way through the formation.
type started struct {
	*child.Child
	member  *Member
	session id.Session // of a command: capsules have their own
	workdir string
	stopped sync.Once     // the stopping event has been sent
	settled chan struct{} // closed when the reaped event has been sent
}

// start starts the process, puts it into its slot and has it followed.
//
// A launch that is abandoned lets the start finish, which takes milliseconds: the process is then ended like any other,
// in order, and not killed in the middle of what it does first.
func (f *Formation) start(ctx context.Context, m *Member, spec child.Spec, workdir string) (*started, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startWithin)
	defer cancel()
	f.recorder.begin(1)
	var p *started
	spec.OnRung = func(rung string) { f.events.emit(Event{Kind: Rung, Member: m.Name, PID: p.PID(), Detail: rung}) }
	c, err := child.Start(ctx, spec)
	f.recorder.done()
	if err != nil {
		return nil, explain(spec.Path, err)
	}
	p = &started{Child: c, member: m, workdir: workdir, settled: make(chan struct{})}
	var record <-chan *running.Guard
	if m.Command != nil {
		p.session = id.NewSession()
		record = f.recorder.record(p)
	}
	f.events.emit(Event{Kind: Spawned, Member: m.Name, PID: c.PID(), Session: string(p.session), Workdir: workdir, Containment: string(c.Class())})
	s := f.slots[m.Name]
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	f.following.Go(func() { f.follow(p, record) })
	return p, nil
}

// explain puts the program and what is known about it into one line.
func explain(path string, err error) error {
	var failed *keeper.StartError
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if hint := failed.Hint(); hint != "" {
		return fmt.Errorf("%s: %w (%s)", path, failed.Err, hint)
	}
	return fmt.Errorf("%s: %w", path, failed.Err)
}

// follow tells of the end of a process.
func (f *Formation) follow(p *started, recorded <-chan *running.Guard) {
	defer close(p.settled)
	p.Attend(func() {
		f.events.emit(Event{Kind: Exited, Member: p.member.Name, PID: p.PID(), Status: p.Status()})
	})
	if recorded != nil {
		f.removeRecord(p, <-recorded)
	}
	report := p.StopReport()
	if p.member.Command == nil && (report.Rung == RungKill || p.Status().Signal != 0) {
		f.pruneRecord(p)
	}
	f.events.emit(Event{Kind: Reaped, Member: p.member.Name, PID: p.PID(), Status: p.Status(), Detail: report.Rung, Stop: &report})
}

// removeRecord removes the record of a command, if it has one.
func (f *Formation) removeRecord(p *started, record *running.Guard) {
	if record == nil {
		return
	}
	if err := record.Remove(); err != nil {
		f.options.Warn(fmt.Sprintf("the record of %s cannot be removed: %v", p.member.Name, err))
	}
}

// pruneRecord removes the record of a capsule that was killed and could not do so itself.
func (f *Formation) pruneRecord(p *started) {
	listing, err := running.Scan(f.options.Home.Running())
	if err != nil {
		return
	}
	for _, record := range listing.Records {
		if record.FormationID == f.options.ID && record.PID == p.PID() {
			_ = running.Prune(f.options.Home, record) // whoever lists records next removes it otherwise
		}
	}
}

// workdirOf is where a member works that gets no directory of its own.
func (f *Formation) workdirOf(m *Member) string {
	if m.Command == nil && m.Entry {
		return f.options.ProjectDir
	}
	return f.options.absolute(m.Dir)
}

// makeWorkdir makes a capsule's own directory with one call that does not make parents, so that nothing that is there
// already, not even a link, becomes it.
func (f *Formation) makeWorkdir(m *Member) (string, error) {
	if m.Command != nil {
		return f.workdirOf(m), nil
	}
	workdir := filepath.Join(f.dir(), m.Name)
	if err := f.ensureDir(); err != nil {
		return "", fmt.Errorf("its directory %s could not be made: %w", workdir, err)
	}
	if err := os.Mkdir(workdir, 0o700); err != nil {
		return "", fmt.Errorf("its directory %s could not be made: %w", workdir, err)
	}
	return workdir, nil
}
