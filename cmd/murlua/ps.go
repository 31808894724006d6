package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"murlua/bindings"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

type psCommand struct {
	JSON    bool `name:"json" help:"Print one JSON array."`
	Verbose bool `help:"Name each record that was removed, and why."`
}

// listed is a record and what the three layers say about it.
type listed struct {
	running.Record
	running.Liveness
	name string // its formation's; empty for none
}

func (c *psCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	listing, err := running.ListReporting(h)
	if err != nil {
		return err
	}
	pruned := []string{}
	for _, path := range listing.Removed {
		pruned = append(pruned, path+" — not a readable record")
	}
	live := []listed{}
	for i, verdict := range (running.Verifier{Probe: door.Probe}).VerifyAll(ctx, listing.Records) {
		record := listing.Records[i]
		if verdict.State != running.Gone {
			live = append(live, listed{Record: record, Liveness: verdict})
			continue
		}
		if err := running.Prune(h, record); err != nil {
			// What runs can be shown all the same.
			writeAll(o.stderr, "murlua: "+bindings.Printable(err.Error())+"\n")
			continue
		}
		pruned = append(pruned, prunedText(record, verdict.Reason))
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := nameFormations(h, live); err != nil {
		writeAll(o.stderr, "murlua: "+bindings.Printable(err.Error())+"\n")
	}
	c.reportPruned(o, pruned)
	if c.JSON {
		return printJSON(o, live)
	}
	writeAll(o.stdout, table(live, time.Now()))
	return nil
}

// nameFormations finds the names of the formations of what is listed.
func nameFormations(h home.Home, live []listed) error {
	holders, err := claim.Holders(h)
	for _, holder := range holders {
		for i := range live {
			if live[i].FormationID == holder.Formation {
				live[i].name = holder.Name
			}
		}
	}
	return err
}

func prunedText(record running.Record, reason string) string {
	text := fmt.Sprintf("%s — %s", record.SessionID, reason)
	if record.FormationID != "" {
		text += fmt.Sprintf(" (formation %s)", record.FormationID)
	}
	return text
}

func (c *psCommand) reportPruned(o *outside, pruned []string) {
	switch {
	case len(pruned) == 0:
	case c.Verbose:
		for _, text := range pruned {
			writeAll(o.stderr, "pruned: "+bindings.Printable(text)+"\n")
		}
	default:
		writeAll(o.stderr, fmt.Sprintf("pruned %d stale records; murlua ps --verbose names each\n", len(pruned)))
	}
}

func printJSON(o *outside, live []listed) error {
	sessions := []map[string]any{}
	for _, l := range live {
		fields := bindings.RecordFields(l.Record)
		fields["state"] = l.State.String()
		if l.Reason != "" {
			fields["reason"] = l.Reason
		}
		if l.name != "" {
			fields["formation_name"] = l.name
		}
		sessions = append(sessions, fields)
	}
	text, err := json.MarshalIndent(sessions, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot print the sessions: %w", err)
	}
	writeAll(o.stdout, string(text)+"\n")
	return nil
}

// table writes the columns that `mur ps` writes, each as wide as it has to be, and MEMBER, and NAME if a formation has
// one, before the last one.
func table(live []listed, now time.Time) string {
	if len(live) == 0 {
		return "no running capsules\n"
	}
	formations := slices.ContainsFunc(live, func(l listed) bool { return l.FormationID != "" })
	names := slices.ContainsFunc(live, func(l listed) bool { return l.name != "" })
	rows := [][]string{{"SESSION", "CAPSULE", "STATUS", "DETACHED", "UPTIME", "FORMATION", "NAME", "MEMBER", "URL"}}
	for _, l := range grouped(live) {
		rows = append(rows, []string{
			string(l.SessionID), l.CapsuleName + "@" + l.CapsuleVersion, status(l), yesNo(l.OutlivesLauncher),
			uptime(l.StartedAt, now), dash(string(l.FormationID)), dash(l.name), dash(l.FormationMember), dash(l.URL),
		})
	}
	for i, row := range rows {
		switch {
		case !formations:
			rows[i] = slices.Delete(row, 5, 8)
		case !names:
			rows[i] = slices.Delete(row, 6, 7)
		}
	}
	return bindings.Columns(rows)
}

// grouped puts the members of a formation together: the groups by their newest member, the newest first inside.
func grouped(live []listed) []listed {
	var rows []listed
	for i, l := range live {
		if l.FormationID == "" {
			rows = append(rows, l)
			continue
		}
		first := slices.IndexFunc(live, func(other listed) bool { return other.FormationID == l.FormationID })
		if first != i {
			continue // its group stands where its newest member does
		}
		for _, other := range live {
			if other.FormationID == l.FormationID {
				rows = append(rows, other)
			}
		}
	}
	return rows
}

func status(l listed) string {
	if l.State == running.Live {
		return "running"
	}
	return l.State.String()
}

// uptime is "HH:MM:SS", with the days before it from one day on, and "-" for a time that is none or is to come.
func uptime(startedAt string, now time.Time) string {
	started, err := time.Parse(time.RFC3339, startedAt)
	if err != nil || started.After(now) {
		return "-"
	}
	up := now.Sub(started)
	days, up := up/(24*time.Hour), up%(24*time.Hour)
	text := fmt.Sprintf("%02d:%02d:%02d", int(up.Hours()), int(up.Minutes())%60, int(up.Seconds())%60)
	if days > 0 {
		text = fmt.Sprintf("%dd %s", days, text)
	}
	return text
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
