package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"murlua/bindings"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
)

type showCommand struct {
	Target string `arg:"" help:"A formation or a session." placeholder:"FORMATION|SESSION"`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

func (c *showCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	target, err := running.FindTarget(h, c.Target, keptFormations(h)...)
	if err != nil {
		return findHint(err)
	}
	if target.Formation != "" {
		return showFormation(ctx, o, h, target.Formation, c.JSON)
	}
	record := target.Session
	verdict := (running.Verifier{Probe: door.Probe}).Verify(ctx, record)
	fields := bindings.RecordFields(record)
	fields["state"] = verdict.State.String()
	if verdict.Reason != "" {
		fields["reason"] = verdict.Reason
	}
	if c.JSON {
		return printObject(o, fields)
	}
	writeAll(o.stdout, sessionView(fields))
	return nil
}

// sessionView is a record in lines: what it is first, then what else is known.
func sessionView(fields map[string]any) string {
	var out strings.Builder
	for _, key := range []string{
		"session_id", "state", "reason", "capsule_name", "capsule_version", "url", "pid", "process_start", "started_at", "workdir", "records_dir",
		"outlives_launcher", "formation_id", "formation_member", "formation_entry", "spawned_by",
	} {
		if v, ok := fields[key]; ok {
			fmt.Fprintf(&out, "%-18s %v\n", strings.ReplaceAll(key, "_", " "), v)
		}
	}
	return out.String()
}

func showFormation(ctx context.Context, o *outside, h home.Home, shown id.Formation, asJSON bool) error {
	launchers, err := launchersOf(h, shown)
	if err != nil {
		return err
	}
	text, view, err := askView(ctx, h, launchers, shown)
	switch {
	case errors.Is(err, attach.ErrNobody):
		return showRecords(ctx, o, h, shown, launchers[0], asJSON)
	case errors.Is(err, errEnded):
		return keptHint(fmt.Errorf("formation %s has ended", shown), h, shown)
	case err != nil:
		return err
	case asJSON:
		return printObject(o, text)
	}
	writeAll(o.stdout, formationView(view, time.Now()))
	return nil
}

// showRecords shows what the records say of a formation whose recipe lets nobody in.
func showRecords(ctx context.Context, o *outside, h home.Home, shown id.Formation, launcher host, asJSON bool) error {
	listing, err := running.Scan(h.Running())
	if err != nil {
		return err
	}
	var live []listed
	for i, verdict := range (running.Verifier{Probe: door.Probe}).VerifyAll(ctx, listing.Records) {
		if r := listing.Records[i]; r.FormationID == shown && verdict.State != running.Gone {
			live = append(live, listed{Record: r, Liveness: verdict})
		}
	}
	holder, named := claim.Of(h, shown)
	if len(live) == 0 && !named {
		return noneRuns(h, shown)
	}
	for i := range live {
		live[i].name = holder.Name
	}
	if asJSON {
		return printObject(o, recordsView(shown, holder.Name, launcher, live))
	}
	writeAll(o.stderr, "its recipe lets nobody in: this is what the records say\n")
	writeAll(o.stdout, table(live, time.Now()))
	return nil
}

// recordsView is what the records say in the form in which a recipe says it.
func recordsView(shown id.Formation, name string, launcher host, live []listed) bindings.FormationView {
	view := bindings.FormationView{
		Formation: string(shown), Name: name, State: "unknown", PID: launcher.PID, Started: shown.Time().UTC(),
		Members: []bindings.MemberView{}, Events: []string{},
	}
	for _, l := range live {
		started, _ := time.Parse(time.RFC3339, l.StartedAt)
		view.Members = append(view.Members, bindings.MemberView{
			Name: l.FormationMember, State: l.State.String(), Since: started, PID: l.PID, Session: string(l.SessionID), URL: l.URL, Workdir: l.Workdir,
			Detail: l.Reason, Entry: l.FormationEntry,
		})
	}
	return view
}

// formationView is how it stands with a formation, for people.
func formationView(v bindings.FormationView, now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "formation  %s\n", v.Formation)
	if v.Name != "" {
		fmt.Fprintf(&out, "name       %s\n", v.Name)
	}
	fmt.Fprintf(&out, "state      %s\n", v.State)
	if v.Script != "" {
		fmt.Fprintf(&out, "recipe     %s\n", v.Script)
	}
	fmt.Fprintf(&out, "process    %d\nstarted    %s, %s ago\n\n", v.PID, v.Started.Format(time.RFC3339), age(now.Sub(v.Started)))
	width := len("MEMBER")
	for _, m := range v.Members {
		width = max(width, len(m.Name))
	}
	fmt.Fprintf(&out, "%-*s  %-14s  %-9s  %-7s  %-6s  %s\n", width, "MEMBER", "STATE", "SINCE", "PID", "STARTS", "URL")
	for _, m := range v.Members {
		pid := ""
		if m.PID > 0 {
			pid = fmt.Sprint(m.PID)
		}
		row := fmt.Sprintf("%-*s  %-14s  %-9s  %-7s  %-6d  %s", width, m.Name, m.State, age(now.Sub(m.Since)), dash(pid), m.Starts, dash(m.URL))
		out.WriteString(strings.TrimRight(row, " ") + "\n")
		if m.Detail != "" {
			fmt.Fprintf(&out, "%-*s  %s\n", width, "", m.Detail)
		}
	}
	if len(v.Events) > 0 {
		out.WriteString("\nlatest events\n")
		for _, text := range v.Events[max(0, len(v.Events)-10):] {
			out.WriteString("  " + text + "\n")
		}
	}
	return out.String()
}

func age(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", max(d, 0).Seconds())
	}
	return d.Round(time.Second).String()
}
