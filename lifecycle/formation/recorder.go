package formation

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// recorder writes the running records of a formation's commands, so that they are found like capsules. Making a file
// costs about as much as starting a process: no record is made while processes are being started, and one goroutine
// makes them all, one after the other.
type recorder struct {
	write func(*started) *running.Guard

	mu      sync.Mutex
	starts  int // that are under way
	waiting []recording
	busy    bool           // the goroutine runs
	pending sync.WaitGroup // what is not written yet
}

// recording is a record that waits to be written, and who gets its guard: nil when there is none.
type recording struct {
	process *started
	guard   chan<- *running.Guard
}

// begin notes that processes are about to be started, and done that one of them runs or will not.
func (r *recorder) begin(starts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starts += starts
}

func (r *recorder) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starts--
	r.proceed()
}

// record has the record of a process written when nothing more urgent is to be done, and returns at once. The channel
// gets its guard.
func (r *recorder) record(p *started) <-chan *running.Guard {
	guard := make(chan *running.Guard, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending.Add(1)
	r.waiting = append(r.waiting, recording{p, guard})
	r.proceed()
	return guard
}

// wait returns when every record so far is written.
func (r *recorder) wait() { r.pending.Wait() }

// proceed starts the goroutine if there is something for it. The caller holds the lock.
func (r *recorder) proceed() {
	if !r.busy && r.starts == 0 && len(r.waiting) > 0 {
		r.busy = true
		go r.run()
	}
}

// run writes until nothing is left, or a start begins. Whoever waits for a guard waits for it too.
func (r *recorder) run() {
	for {
		r.mu.Lock()
		if r.starts > 0 || len(r.waiting) == 0 {
			r.busy = false
			r.mu.Unlock()
			return
		}
		next := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.mu.Unlock()
		next.guard <- r.write(next.process)
		r.pending.Done()
	}
}

// recordCommand writes the record of one command. It has no door; its launcher is whom to ask to end it.
func (f *Formation) recordCommand(p *started) *running.Guard {
	identity, err := process.Identify(p.PID())
	if err != nil || !p.Running() {
		return nil // it has ended already, and the number may be somebody else's
	}
	record := running.Record{
		SessionID: p.session, CapsuleName: filepath.Base(p.member.Command.Args[0]), CapsuleVersion: "command",
		Workdir: p.workdir, RecordsDir: f.options.Home.RecordsDir(p.workdir, string(p.session)),
		OutlivesLauncher: !process.HasControllingTerminal(), StartedAt: p.Began().UTC().Format(time.RFC3339),
		FormationID: f.options.ID, FormationMember: p.member.Name, FormationEntry: p.member.Entry, FormationLifeline: true,
		Containment: string(p.Class()),
	}
	record.SetProcess(identity)
	if launcher := f.secrets.launcher(); launcher != nil {
		record.FormationLauncher = &process.Identity{PID: launcher.PID, Start: launcher.Start}
	}
	guard, err := running.Write(f.options.Home, record)
	if err != nil {
		f.options.Warn(fmt.Sprintf("%s cannot be found by others: %v", p.member.Name, err))
	}
	return guard
}
