package bindings

import (
	"context"

	"murlua/engine"
	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
)

func (w *World) runningModule() engine.Module {
	return engine.Module{
		Name: "running",
		Doc:  "find out which sessions run on this machine",
		Functions: map[string]engine.Function{
			"list":   w.runningList,
			"verify": w.runningVerify,
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
		"formation_member": r.FormationMember, "spawned_by": r.SpawnedBy,
	} {
		if value != "" {
			fields[key] = value
		}
	}
	if r.FormationEntry {
		fields["formation_entry"] = true
	}
	return fields
}

func (w *World) runningList(c *engine.Call) error {
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
	list := make([]map[string]any, len(records))
	for i, r := range records {
		list[i] = RecordFields(r)
	}
	return c.Return(list)
}

// runningVerify reads the record anew, so that a script cannot make a token or a process up.
func (w *World) runningVerify(c *engine.Call) error {
	h, err := w.home()
	if err != nil {
		return err
	}
	session, err := id.ParseSession(c.Options(1).String("session_id", ""))
	if err != nil {
		c.BadArgument(1, "%v", err)
	}
	var liveness running.Liveness
	err = c.Block(func(ctx context.Context) error {
		record, err := running.Read(running.Location(h, session))
		if err != nil {
			return err
		}
		liveness = running.Verifier{Probe: door.Probe}.Verify(ctx, record)
		return nil
	})
	if err != nil {
		return err
	}
	verdict := map[string]any{"state": liveness.State.String()}
	if liveness.Reason != "" {
		verdict["reason"] = liveness.Reason
	}
	return c.Return(verdict)
}
