package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/running"
	"murlua/lifecycle/trace"
	"murlua/platform/process"
)

// windDownBound is how long a session may take to end before its process does, as murmur has it.
const windDownBound = 20 * time.Second

// ExitKilled is the status of a process that ended itself for want of a better end.
const ExitKilled = 143

// run is a session from its door to its end.
type run struct {
	*Session
	handler Handler
	ctx     context.Context // of every task; ends with the session
	cancel  context.CancelCauseFunc
	trace   *trace.Writer
	begun   time.Time
	server  *door.Server
	record  *running.Guard

	tasks     sync.WaitGroup // the command line's task
	taskDone  chan error     // gets the outcome of the session's one task
	claimed   atomic.Bool    // a session for a single task has it
	live      atomic.Int32
	cancelled atomic.Bool // a task was running when the session began to end
}

// Run opens the door, announces the session, hands tasks to the handler until the session ends, and returns the exit
// status: 0 for an orderly end, what the one task's end says for a session that was started for one task, 1 when a signal
// cancelled a task. An error says why the session could not start, or what its one task failed with; the status is
// then 1.
func (s *Session) Run(handler Handler) (int, error) {
	r := &run{Session: s, handler: handler, taskDone: make(chan error, 1), begun: time.Now()}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	defer s.handed.close()
	if err := r.open(); err != nil {
		r.cancel(err)
		close(s.ended)
		return 1, err
	}
	if s.options.Flags.Task != nil {
		r.claimed.Store(true)
		r.tasks.Add(1)
		go r.commandTask(*s.options.Flags.Task)
	}
	return r.windDown(r.awaitEnd())
}

// open makes what a session has, in murmur's order: the door, then the record, then the readiness line.
func (r *run) open() error {
	if info, err := os.Stat(r.workdir); err != nil || !info.IsDir() {
		return fmt.Errorf("cannot work in %q: it is not a directory", r.workdir)
	}
	records, err := r.options.Home.EnsureRecordsDir(r.workdir, string(r.id))
	if err != nil {
		return fmt.Errorf("cannot keep records: %w", err)
	}
	if r.trace, err = trace.Open(records, r.id); err != nil {
		r.notice("warning: %v", err)
	}
	auth := &door.Auth{}
	if r.handed.first != nil {
		auth.Formation = r.handed.first.Verifier()
	}
	r.server, err = door.Serve(door.ServerOptions{
		Name: r.options.Name, Version: r.options.Version, Session: r.id, Bind: r.options.Flags.Bind,
		Auth: auth, OnTask: r.doorTask,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.url = r.server.URL()
	r.mu.Unlock()
	r.write(trace.SessionStart, r.origin()) // before anybody can know of the door, and give it a task
	if r.record, err = running.Write(r.options.Home, r.describe(records)); err != nil {
		r.notice("warning: %v; this session cannot be found by others", err)
	}
	r.announce(records)
	return nil
}

// describe makes the session's running record.
func (r *run) describe(records string) running.Record {
	record := running.Record{
		SessionID: r.id, URL: r.server.URL(), CapsuleName: r.options.Name, CapsuleVersion: r.options.Version,
		Workdir: r.workdir, RecordsDir: records, OutlivesLauncher: !process.HasControllingTerminal(),
		StartedAt: time.Now().UTC().Format(time.RFC3339), DoorToken: r.server.Token(), Credentials: r.server.Tokens(),
		FormationID: r.handed.formation, FormationLifeline: r.handed.formed != nil, SpawnedBy: r.handed.spawnedBy,
	}
	if me, err := process.Current(); err == nil {
		record.SetProcess(me)
	} else {
		record.PID = os.Getpid() // with no start token it matches no process, and harms none
	}
	if first := r.handed.first; first != nil {
		record.FormationMember, record.FormationEntry = first.Member, first.Entry
		if first.Launcher != nil && record.FormationLifeline {
			record.FormationLauncher = &process.Identity{PID: first.Launcher.PID, Start: first.Launcher.Start}
		}
	}
	return record
}

// origin is what the trace's first line says about where the session comes from.
func (r *run) origin() map[string]any {
	// Murmur's readers want to know the model of a capsule; there is none in this one.
	fields := map[string]any{"capsule_name": r.options.Name, "capsule_version": r.options.Version, "model": "none"}
	if m := r.Membership(); m != nil {
		fields["formation_id"] = m.Formation
		if m.Member != "" {
			fields["formation_member"] = m.Member
			fields["formation_callees"] = append([]string{}, m.Callees...)
		}
	}
	if r.handed.spawnedBy != "" {
		fields["spawned_by"] = r.handed.spawnedBy
	}
	return fields
}

// announce prints the readiness line, whose keys are in order.
func (r *run) announce(records string) {
	if !r.options.Flags.JSON {
		return
	}
	line := map[string]any{
		"auth": "bearer", "name": r.options.Name, "pid": os.Getpid(), "records_dir": records, "session_id": r.id,
		"url": r.server.URL(), "version": r.options.Version, "workdir": r.workdir,
	}
	if r.handed.formation != "" {
		line["formation_id"] = r.handed.formation
	}
	if r.options.Flags.ReadinessTokens {
		tokens := map[string]string{credential.Operator: r.server.Token().Reveal()}
		for name, token := range r.server.Tokens() {
			tokens[name] = token.Reveal()
		}
		line["tokens"] = tokens
	}
	text, err := json.Marshal(line)
	if err != nil {
		return
	}
	_, _ = r.options.Stdout.Write(append(text, '\n'))
}

// end is why a session ends.
type end struct {
	trace  string // the kind of event to write first; empty for none
	cause  error
	code   int // what the exit status is when no task was cancelled
	broken int // what it is when one was
	task   error
	asked  bool // by a signal
}

var (
	errFormationEnded = errors.New("the formation ended")
	errSpawnerEnded   = errors.New("the spawning process ended")
	errDeadline       = errors.New("the session's deadline has passed")
	errStopped        = errors.New("the session was stopped")
	errTaskDone       = errors.New("the session's task is done")
)

// awaitEnd returns when the session has to end.
func (r *run) awaitEnd() end {
	var formed, spawned <-chan struct{}
	if r.handed.formed != nil {
		formed = r.handed.formed.Ended()
	}
	if r.handed.spawned != nil {
		spawned = r.handed.spawned.Ended()
	}
	late, stop := r.deadline()
	defer stop()
	for {
		select {
		case <-late:
			return r.atDeadline()
		case <-formed:
			if r.isLate() {
				return r.atDeadline()
			}
			r.detail("the formation's lifeline closed: winding down")
			return end{trace: trace.FormationEnded, cause: errFormationEnded}
		case <-spawned:
			r.detail("the spawner's lifeline closed: winding down")
			return end{trace: trace.SpawnerEnded, cause: errSpawnerEnded}
		case <-r.stopped:
			return end{cause: errStopped}
		case err := <-r.taskDone:
			if !r.options.Flags.Exit {
				continue
			}
			if err != nil {
				return end{cause: errTaskDone, code: 1, broken: 1, task: err}
			}
			return end{cause: errTaskDone}
		case signal := <-r.options.Signals:
			switch signal {
			case syscall.SIGTERM:
				return end{cause: errStopped, broken: 1, asked: true}
			case syscall.SIGINT:
				return end{cause: errStopped, code: 130, broken: 130, asked: true}
			}
		}
	}
}

// windDown ends the session in order, or the process when that takes too long or a signal asks again.
func (r *run) windDown(why end) (int, error) {
	close(r.Session.ended)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { r.hasten(why.asked, done) })
	if why.trace != "" {
		fields := map[string]any{}
		if r.handed.formation != "" && why.trace == trace.FormationEnded {
			fields["formation_id"] = r.handed.formation
		}
		if why.cause == errDeadline {
			fields = r.deadlineFields()
		}
		r.write(why.trace, fields)
	}
	if r.live.Load() > 0 {
		r.cancelled.Store(true)
	}
	r.server.Refuse()
	r.cancel(why.cause)
	// The bound is the process's; a task that does not return is left to it.
	_ = r.server.Close(context.Background())
	r.tasks.Wait()
	code := why.code
	if r.cancelled.Load() && why.cause != errFormationEnded {
		code = why.broken
	}
	ended := spent(r.begun, "total_turns", "total_input_tokens", "total_output_tokens", "total_tool_calls", "total_shell_calls")
	ended["exit_status"] = r.status(why, code)
	r.write(trace.SessionEnd, ended)
	if r.record != nil {
		if err := r.record.Remove(); err != nil {
			r.notice("warning: %v", err)
		}
	}
	_ = r.trace.Close()
	close(done)
	watching.Wait()
	return code, why.task
}

// status is the trace's word for how the session ended.
func (r *run) status(why end, code int) string {
	switch {
	case why.cause == errFormationEnded:
		return "formation_ended"
	case why.cause == errDeadline:
		return "deadline_reached"
	case r.cancelled.Load():
		return "canceled"
	case code != 0:
		return "failed"
	}
	return "ok"
}

// hasten ends the process when winding down is not done in time, and at once for a second signal. asked says that
// the first has been. A formation's end is not a signal: the first signal after it changes nothing.
func (r *run) hasten(asked bool, done <-chan struct{}) {
	bound := time.NewTimer(windDownBound)
	defer bound.Stop()
	for {
		select {
		case <-done:
			return
		case <-bound.C:
			r.options.Exit(ExitKilled)
			return
		case <-r.options.Signals:
			if asked {
				r.options.Exit(ExitKilled)
				return
			}
			asked = true
		}
	}
}

func (r *run) write(kind string, fields map[string]any) {
	if err := r.trace.Write(kind, fields); err != nil {
		r.notice("warning: %v", err)
	}
}
