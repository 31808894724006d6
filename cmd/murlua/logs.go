package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/output"
	"murlua/lifecycle/running"
)

type logsCommand struct {
	Target  string   `arg:"" help:"A session or a formation." placeholder:"SESSION|FORMATION"`
	Members []string `arg:"" optional:"" help:"Members of the formation." placeholder:"MEMBER"`
	Follow  bool     `short:"f" help:"Go on with what is written later."`
	Tail    int      `short:"n" default:"-1" help:"How many of the last lines of each member." placeholder:"LINES"`
}

func (c *logsCommand) run(ctx context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	launched, members, err := c.resolve(h)
	if err != nil {
		return err
	}
	outputs, err := outputsOf(h, launched)
	switch {
	case err != nil:
		return err
	case c.Follow && len(outputs.holders) > 0:
		return c.follow(ctx, o, h, outputs, members)
	case len(members) == 0 && outputs.none():
		return fmt.Errorf("no output is kept of formation %s: none of its members has written anything, or it is no more", launched)
	case len(members) == 0:
		members = outputs.kept
	}
	return c.show(o, outputs, members)
}

// resolve finds the formation and the members that are meant; no members are all.
func (c *logsCommand) resolve(h home.Home) (id.Formation, []string, error) {
	target, err := running.FindTarget(h, c.Target, keptFormations(h)...)
	if err != nil {
		return "", nil, findHint(err)
	}
	if target.Formation != "" {
		return target.Formation, c.Members, nil
	}
	record := target.Session
	if len(c.Members) > 0 {
		return "", nil, &usageError{"logs", errors.New("members belong to a formation, not to a session")}
	}
	if record.FormationID == "" {
		return "", nil, fmt.Errorf("session %s is no member of a formation, and its output is kept by nobody", record.SessionID)
	}
	return record.FormationID, []string{record.FormationMember}, nil
}

// outputs is whose output there is of a formation, and who may come to write some.
type outputs struct {
	of   id.Formation
	dir  string
	kept []string // members that wrote something, by name
	// silent are the members that run and have written nothing that is kept, and whether that is because they have the
	// terminal.
	silent  map[string]bool
	holders []host // none when it does not run
}

func outputsOf(h home.Home, launched id.Formation) (outputs, error) {
	found := outputs{of: launched, dir: formation.OutputDir(h, launched), silent: map[string]bool{}}
	found.holders, _ = launchersOf(h, launched) // none when it has ended
	listing, err := running.Scan(h.Running())
	if err != nil {
		return found, err
	}
	if found.kept, err = output.Kept(found.dir); err != nil {
		return found, err
	}
	for _, r := range listing.Records {
		if r.FormationID == launched && !slices.Contains(found.kept, r.FormationMember) {
			found.silent[r.FormationMember] = r.FormationEntry
		}
	}
	return found, nil
}

// none says that nothing is known of a formation.
func (f outputs) none() bool { return len(f.kept)+len(f.silent)+len(f.holders) == 0 }

// refuse says why the member's output cannot be shown; nil when it is kept, or the member has written nothing.
func (f outputs) refuse(member string) error {
	entry, quiet := f.silent[member]
	switch {
	case quiet && entry:
		return entryWrites(member)
	case quiet, slices.Contains(f.kept, member):
		return nil
	case len(f.kept) == 0:
		return fmt.Errorf("no output of %q is kept in formation %s, nor of another member", member, f.of)
	}
	return &hintedError{fmt.Errorf("no output of %q is kept in formation %s", member, f.of), "there is output of " + strings.Join(f.kept, ", ")}
}

func entryWrites(member string) error {
	return fmt.Errorf("no output of %q is kept: the entry of a formation has the terminal for itself", member)
}

// show prints what the members wrote, one after the other. The lines of several members have their names in front.
func (c *logsCommand) show(o *outside, outputs outputs, members []string) error {
	for _, member := range members {
		if err := outputs.refuse(member); err != nil {
			return err
		}
	}
	members = slices.DeleteFunc(slices.Clone(members), func(member string) bool { return !slices.Contains(outputs.kept, member) })
	var failures []error
	for _, member := range members {
		printer := newLinePrinter(o.stdout, member, len(members) > 1)
		failures = append(failures, output.Read(filepath.Join(outputs.dir, member+".log"), c.Tail, printer.print))
		printer.end()
	}
	return errors.Join(failures...)
}

// linePrinter prints one member's blocks among those of others. Without a prefix bytes pass as they are; with one
// only whole lines do, so that no line is made of two.
type linePrinter struct {
	to     *os.File
	prefix []byte
	open   []byte
}

func newLinePrinter(to *os.File, member string, prefixed bool) *linePrinter {
	p := &linePrinter{to: to}
	if prefixed {
		p.prefix = []byte("[" + member + "] ")
	}
	return p
}

// longestHeld is how much of a line without an end is held back.
const longestHeld = 64 << 10

func (p *linePrinter) print(block output.Block) {
	if len(p.prefix) == 0 {
		p.write(block)
		return
	}
	p.open = append(p.open, block...)
	whole := strings.LastIndexByte(string(p.open), '\n') + 1
	if whole == 0 && len(p.open) >= longestHeld {
		whole = len(p.open)
	}
	p.prefixed(output.Block(p.open[:whole]))
	p.open = append(p.open[:0], p.open[whole:]...)
}

// end prints what has no line end.
func (p *linePrinter) end() {
	p.prefixed(output.Block(p.open))
	p.open = nil
}

func (p *linePrinter) prefixed(lines output.Block) {
	var out []byte
	lines.Lines(func(line []byte) {
		out = append(append(append(out, p.prefix...), line...), '\n')
	})
	p.write(out)
}

func (p *linePrinter) write(data []byte) {
	if len(data) > 0 {
		_, _ = p.to.Write(data) // a reader that went away ends us by SIGPIPE
	}
}
