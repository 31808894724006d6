package bindings

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

func (w *World) runningModule() engine.Module {
	return engine.Module{
		Name: "running",
		Doc:  "find out which sessions run on this machine",
		Functions: map[string]engine.Function{
			"list":       w.runningList,
			"scan":       w.runningScan,
			"get":        w.runningGet,
			"verify":     w.runningVerify,
			"verify_all": w.runningVerifyAll,
			"watch":      w.runningWatch,
			"signal":     w.runningSignal,
			"prune":      w.runningPrune,
			"identity":   w.runningIdentity,
		},
	}
}

// RecordFields is a record as scripts and JSON show it. Tokens are left out.
func RecordFields(r running.Record) map[string]any {
	fields := map[string]any{
		"session_id": string(r.SessionID), "pid": r.PID, "process_start": r.ProcessStart,
		"capsule_name": r.CapsuleName, "capsule_version": r.CapsuleVersion, "workdir": r.Workdir,
		"outlives_launcher": r.OutlivesLauncher, "started_at": r.StartedAt,
	}
	for key, value := range map[string]string{
		"url": r.URL, "records_dir": r.RecordsDir, "formation_id": string(r.FormationID),
		"formation_member": r.FormationMember, "spawned_by": r.SpawnedBy, "containment": r.Containment,
	} {
		if value != "" {
			fields[key] = value
		}
	}
	for key, value := range map[string]bool{
		"formation_entry": r.FormationEntry, "formation_lifeline": r.FormationLifeline, "unconfined": r.Unconfined,
		"authenticated": !r.DoorToken.IsZero(),
	} {
		if value {
			fields[key] = true
		}
	}
	return fields
}

// wantedRecords reads the options that say which records a script asks for.
func wantedRecords(c *engine.Call) func(running.Record) bool {
	o := c.Options(1)
	formation, capsule := o.String("formation", ""), o.String("capsule", "")
	o.Done(false)
	return func(r running.Record) bool {
		return (formation == "" || string(r.FormationID) == formation) && (capsule == "" || r.CapsuleName == capsule)
	}
}

func recordList(records []running.Record, wanted func(running.Record) bool) []map[string]any {
	list := []map[string]any{}
	for _, r := range records {
		if wanted(r) {
			list = append(list, RecordFields(r))
		}
	}
	return list
}

func (w *World) runningList(c *engine.Call) error {
	wanted := wantedRecords(c)
	h, err := w.home()
	if err != nil {
		return err
	}
	var records []running.Record
	err = c.Block(func(context.Context) (err error) {
		records, err = running.List(h)
		return err
	})
	if err != nil {
		return err
	}
	return c.Return(recordList(records, wanted))
}

func (w *World) runningScan(c *engine.Call) error {
	wanted := wantedRecords(c)
	h, err := w.home()
	if err != nil {
		return err
	}
	var listing running.Listing
	err = c.Block(func(context.Context) (err error) {
		listing, err = running.Scan(h.Running())
		return err
	})
	if err != nil {
		return err
	}
	unreadable := []map[string]any{}
	for _, file := range listing.Unreadable {
		unreadable = append(unreadable, map[string]any{"path": file.Path, "reason": file.Reason.Error()})
	}
	older := append([]string{}, listing.Older...)
	return c.Return(map[string]any{"records": recordList(listing.Records, wanted), "older": older, "unreadable": unreadable})
}

func (w *World) runningGet(c *engine.Call) error {
	address := c.String(1)
	h, err := w.home()
	if err != nil {
		return err
	}
	var record running.Record
	err = c.Block(func(context.Context) (err error) {
		record, err = running.Find(h, address)
		return err
	})
	var problem *running.AddressError
	switch {
	case errors.As(err, &problem) && problem.Problem == running.Malformed:
		c.BadArgument(1, "%v", err)
	case problem != nil:
		fields := map[string]any{"problem": string(problem.Problem), "sessions": append([]string{}, problem.Sessions...)}
		return c.Return(nil, &engine.Error{Kind: "no_session", Message: err.Error(), Fields: fields, Cause: err})
	case err != nil:
		return err
	}
	return c.Return(RecordFields(record))
}

// errRemoved says that a record that a script holds is not there any more.
var errRemoved = errors.New("its record was removed")

// session is the record of argument n, read anew, so that a script cannot make a token or a process
// up. The argument is a record or a session id.
func (w *World) session(c *engine.Call, n int) func() (home.Home, running.Record, error) {
	var text string
	switch v := c.Get(n).(type) {
	case lua.LString:
		text = string(v)
	case *lua.LTable:
		text = lua.LVAsString(v.RawGetString("session_id"))
	default:
		c.BadArgument(n, "expected a record or a session id, got %s", v.Type())
	}
	session, err := id.ParseSession(text)
	if err != nil {
		c.BadArgument(n, "%v", err)
	}
	return func() (home.Home, running.Record, error) {
		h, err := w.home()
		if err != nil {
			return h, running.Record{}, err
		}
		record, err := running.Read(running.Location(h, session))
		if errors.Is(err, os.ErrNotExist) {
			err = errRemoved
		} else if err == nil && record.SessionID != session {
			err = errors.New("the record of session " + string(session) + " is of another session")
		}
		return h, record, err
	}
}

func (w *World) runningVerify(c *engine.Call) error {
	read := w.session(c, 1)
	var liveness running.Liveness
	err := c.Block(func(ctx context.Context) error {
		_, record, err := read()
		if errors.Is(err, errRemoved) {
			liveness = running.Liveness{State: running.Gone, Reason: err.Error()}
			return nil
		}
		if err == nil {
			liveness = verifier.Verify(ctx, record)
		}
		return errors.Join(err, context.Cause(ctx))
	})
	if err != nil {
		return err
	}
	return c.Return(livenessFields(liveness))
}

var verifier = running.Verifier{Probe: door.Probe}

func livenessFields(liveness running.Liveness) map[string]any {
	verdict := map[string]any{"state": liveness.State.String()}
	if liveness.Reason != "" {
		verdict["reason"] = liveness.Reason
	}
	return verdict
}

func (w *World) runningVerifyAll(c *engine.Call) error {
	wanted := wantedRecords(c)
	h, err := w.home()
	if err != nil {
		return err
	}
	list := []map[string]any{}
	err = c.Block(func(ctx context.Context) error {
		records, err := running.List(h)
		if err != nil {
			return err
		}
		records = slices.DeleteFunc(records, func(r running.Record) bool { return !wanted(r) })
		for i, liveness := range verifier.VerifyAll(ctx, records) {
			verdict := livenessFields(liveness)
			verdict["record"] = RecordFields(records[i])
			list = append(list, verdict)
		}
		return context.Cause(ctx)
	})
	if err != nil {
		return err
	}
	return c.Return(list)
}

// signals are the names that scripts have for signals.
var signals = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP}

func (w *World) runningSignal(c *engine.Call) error {
	read := w.session(c, 1)
	name := c.OptString(2, "TERM")
	sig, known := signals[name]
	if !known {
		c.BadArgument(2, "%q is none of the signals TERM, KILL, INT and HUP", name)
	}
	var outcome running.Outcome
	err := c.Block(func(context.Context) error {
		_, record, err := read()
		if errors.Is(err, errRemoved) {
			outcome = running.Outcome{Kind: running.Refused, Reason: err.Error()}
			return nil
		}
		if err == nil {
			outcome = running.Signal(record, sig)
		}
		return err
	})
	if err != nil {
		return err
	}
	fields := map[string]any{"outcome": map[running.OutcomeKind]string{
		running.Sent: "sent", running.AlreadyGone: "gone", running.Refused: "refused",
	}[outcome.Kind]}
	if outcome.Reason != "" {
		fields["reason"] = outcome.Reason
	}
	if outcome.Method != 0 {
		fields["method"] = outcome.Method.String()
	}
	return c.Return(fields)
}

func (w *World) runningPrune(c *engine.Call) error {
	read := w.session(c, 1)
	err := c.Block(func(context.Context) error {
		h, record, err := read()
		if err != nil {
			return err
		}
		return running.Prune(h, record)
	})
	switch {
	case errors.Is(err, errRemoved):
		return c.Return(false)
	case errors.Is(err, running.ErrNotGone):
		return c.Return(nil, &engine.Error{Kind: "not_gone", Message: err.Error(), Cause: err})
	case err != nil:
		return err
	}
	return c.Return(true)
}

func (w *World) runningIdentity(c *engine.Call) error {
	pid := c.OptInt(1, os.Getpid())
	identity, err := process.Identify(pid)
	if errors.Is(err, os.ErrProcessDone) {
		return c.Return(nil, &engine.Error{Kind: "gone", Message: err.Error(), Cause: err})
	}
	if err != nil {
		return err
	}
	return c.Return(map[string]any{"pid": identity.PID, "process_start": identity.Start})
}
