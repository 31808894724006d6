package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/lifecycle/stop"
)

type stopCommand struct {
	Target  string  `arg:"" help:"A session or a formation." placeholder:"SESSION|FORMATION"`
	Timeout float64 `help:"Seconds between SIGTERM and SIGKILL; 0 is no grace." default:"10" placeholder:"SECONDS"`
	JSON    bool    `name:"json" help:"Print one JSON object."`
}

func (c *stopCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	if c.Timeout < 0 {
		return &usageError{"stop", errors.New("--timeout is a number of seconds, zero or more")}
	}
	options := stop.Options{Home: h, Grace: time.Duration(c.Timeout * float64(time.Second))}
	target, err := running.FindTarget(h, c.Target)
	if err != nil {
		return findHint(err)
	}
	if target.Formation != "" {
		return c.stopFormation(ctx, o, options, target.Formation)
	}
	report, err := stop.Session(ctx, options, target.Session)
	if c.JSON {
		return errors.Join(printObject(o, report), err)
	}
	if err != nil {
		return err
	}
	writeAll(o.stdout, sessionText(report))
	return nil
}

func (c *stopCommand) stopFormation(ctx context.Context, o *outside, options stop.Options, formation id.Formation) error {
	report, err := stop.Formation(ctx, options, formation)
	if len(report.Members) == 0 && err != nil {
		return err // nothing was done that could be reported
	}
	if c.JSON {
		return errors.Join(printObject(o, report), err)
	}
	writeAll(o.stdout, formationText(report, c.Timeout))
	return err
}

// sessionText is the report as `mur stop` writes it.
func sessionText(r stop.SessionReport) string {
	var out strings.Builder
	line := func(key, text string) { fmt.Fprintf(&out, "%-9s %s\n", key+":", text) }
	line("stopped", r.Session)
	line("capsule", r.Capsule)
	signal := string(r.Signal)
	if r.Signal == stop.NoSignal {
		signal += " — the process had already exited"
	}
	line("signal", signal)
	for _, task := range r.Canceled {
		line("canceled", task)
	}
	for _, task := range r.Unended {
		line("unended", task+"  the trace does not record how this task ended")
	}
	switch {
	case r.Silent == stop.NoDoor:
		line("residue", "nothing to ask: "+r.Silent)
	case r.Silent != "":
		line("residue", "unknown — the capsule could not be asked: "+r.Silent)
	case len(r.Residue) == 0:
		line("residue", "nothing else was left running")
	}
	for _, item := range r.Residue {
		line("residue", item)
	}
	return out.String()
}

// formationText is the report as `mur stop` writes it.
func formationText(r stop.FormationReport, timeout float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "stopped:  %s\n", r.Formation)
	launcher := fmt.Sprintf("pid %d, %s", r.Launcher.PID, r.Launcher.Signal)
	switch {
	case r.Launcher.PID == 0:
		launcher = "none — no running member records one"
	case r.Launcher.Signal == stop.Kill:
		launcher = fmt.Sprintf("pid %d, SIGKILL after %gs", r.Launcher.PID, timeout)
	case r.Launcher.Signal == stop.NoSignal:
		launcher = fmt.Sprintf("none — pid %d had already exited, so every lifeline was already closed", r.Launcher.PID)
	}
	fmt.Fprintf(&out, "launcher: %s\n", launcher)
	for _, m := range r.Members {
		fmt.Fprintf(&out, "member:   %s  %s  %s\n", m.Session, m.Capsule, m.Ending)
	}
	for _, session := range r.ByHand {
		out.WriteString("\n" + sessionText(session))
	}
	return out.String()
}

func printObject(o *outside, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot print the report: %w", err)
	}
	writeAll(o.stdout, string(text)+"\n")
	return nil
}
