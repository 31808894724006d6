package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

type doctorCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// A finding is one thing that was looked at.
type finding struct {
	Name string `json:"name"`
	// Result is "ok", "note" (something cannot be had, and nothing is wrong) or "bad".
	Result string `json:"result"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func (c *doctorCommand) run(ctx context.Context, o *outside) error {
	findings := []finding{lookAtHome(o)}
	findings = append(findings, o.tryContainment(ctx)...)
	findings = append(findings, lookAtMurmur(o))
	bad := 0
	for _, f := range findings {
		if f.Result == "bad" {
			bad++
		}
	}
	if c.JSON {
		if err := printObject(o, map[string]any{"version": buildVersion(), "findings": findings}); err != nil {
			return err
		}
	} else {
		writeAll(o.stdout, doctorText(findings))
	}
	if bad > 0 {
		return exitError{1}
	}
	return nil
}

func doctorText(findings []finding) string {
	var out strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&out, "%-4s  %-20s  %s\n", f.Result, f.Name, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(&out, "%-4s  %-20s  hint: %s\n", "", "", f.Hint)
		}
	}
	return out.String()
}

// lookAtHome looks at the directory for records without making or changing anything.
func lookAtHome(o *outside) finding {
	f := finding{Name: "home", Result: "ok"}
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		f.Result, f.Detail = "bad", err.Error()
		return f
	}
	f.Detail = h.Path()
	info, err := os.Stat(h.Path())
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Detail += " (made when it is needed)"
	case err != nil:
		f.Result, f.Detail = "bad", err.Error()
	case !info.IsDir():
		f.Result, f.Detail = "bad", h.Path()+" is no directory"
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		f.Result = "note"
		f.Detail += fmt.Sprintf(" is open to others (mode %v); the next record that is written closes it", info.Mode().Perm())
	}
	return f
}

func lookAtMurmur(o *outside) finding {
	binary := o.murBinary()
	if found := o.lookUp(binary); found != "" {
		return finding{Name: "murmur", Result: "ok", Detail: found}
	}
	f := finding{Name: "murmur", Result: "bad", Detail: binary + " cannot be run", Hint: "MURMUR_MUR_BINARY names it"}
	if o.getenv("MURMUR_MUR_BINARY") == "" {
		f.Result, f.Detail = "note", "no mur was found: members that are murmur's capsules cannot be started"
		f.Hint = "put mur on PATH, or name it in MURMUR_MUR_BINARY"
	}
	return f
}

// lookUp finds a program as a shell would; "" when there is none.
func (o *outside) lookUp(name string) string {
	folders := []string{""}
	if !strings.ContainsRune(name, filepath.Separator) {
		folders = filepath.SplitList(o.getenv("PATH"))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || runtime.GOOS == "windows") {
			return path
		}
	}
	return ""
}

// tryContainment starts a command in every class that can be had, ends it, and says how long that took: what is
// promised is seen to work.
func (o *outside) tryContainment(ctx context.Context) []finding {
	k := o.keep()
	report := k.Report()
	best := report.Best()
	var findings []finding
	for _, class := range report {
		f := finding{Name: "containment " + string(class.Class), Result: "note", Detail: class.Why}
		if class.Available {
			f = tryClass(ctx, k, o, f, class)
		}
		if class.Class == best {
			f.Detail += "; used when none is demanded"
		}
		findings = append(findings, f)
	}
	return findings
}

func tryClass(ctx context.Context, k *keeper.Keeper, o *outside, f finding, class contain.Finding) finding {
	const enough = 5 * time.Second
	starting, cancel := context.WithTimeout(ctx, enough)
	defer cancel()
	begin := time.Now()
	kept, err := k.Start(starting, keeper.Command{
		Args: []string{"true"}, Env: o.environ, Class: class.Class,
	})
	if err != nil {
		f.Result, f.Detail = "bad", fmt.Sprintf("%s, but a start fails: %v", class.Why, err)
		return f
	}
	took := time.Since(begin)
	select {
	case <-kept.Exited():
	case <-starting.Done():
	}
	if report := kept.Kill(); report.Rung == keeper.RungSurvivor || !kept.Status().Success() {
		f.Result, f.Detail = "bad", fmt.Sprintf("%s, but a command ended with %v", class.Why, kept.Status())
		return f
	}
	f.Result, f.Detail = "ok", fmt.Sprintf("%s (started in %.1f ms)", class.Why, float64(took.Microseconds())/1000)
	if why := k.Noteless(); class.Class == contain.Tracked && why != nil {
		f.Result, f.Detail = "note", fmt.Sprintf("%s, without a note of the marks: %v", f.Detail, why)
		f.Hint = "what is left when murlua and its keeper are killed at once is not ended by the next start then"
	}
	return f
}
