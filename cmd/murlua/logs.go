package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	kept, err := keptOutputs(formation.OutputDir(h, launched))
	if err != nil {
		return err
	}
	silent, err := silentMembers(h, launched, kept)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		if len(kept)+len(silent) == 0 {
			return fmt.Errorf("no output is kept of formation %s: none of its members has written anything, or it is no more", launched)
		}
		members = kept
		if c.Follow {
			members = slices.Concat(kept, speechless(silent))
		}
	}
	members, err = c.withOutput(launched, members, kept, silent)
	if err != nil || len(members) == 0 {
		return err
	}
	options := output.FollowOptions{Tail: c.Tail, Follow: c.Follow}
	if c.Follow {
		var stop func()
		if ctx, stop, err = untilEnded(ctx, h, launched); err != nil {
			return err
		}
		defer stop()
		if options.Below, err = h.EnsureFormations(); err != nil {
			return err
		}
	}
	return c.show(ctx, o, formation.OutputDir(h, launched), members, options)
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

// silentMembers are the members that run and of which there is no output, by name, and whether that is because they
// have the terminal.
func silentMembers(h home.Home, launched id.Formation, kept []string) (map[string]bool, error) {
	listing, err := running.Scan(h.Running())
	if err != nil {
		return nil, err
	}
	silent := map[string]bool{}
	for _, r := range listing.Records {
		if r.FormationID == launched && !slices.Contains(kept, r.FormationMember) {
			silent[r.FormationMember] = r.FormationEntry
		}
	}
	return silent, nil
}

// speechless are the silent members that may come to write something, in the order of their names.
func speechless(silent map[string]bool) []string {
	var members []string
	for member, entry := range silent {
		if !entry {
			members = append(members, member)
		}
	}
	slices.Sort(members)
	return members
}

// withOutput leaves out the members that have written nothing, which is no failure, and refuses those that are not
// there. When following, it may come to write something.
func (c *logsCommand) withOutput(launched id.Formation, members, kept []string, silent map[string]bool) (shown []string, err error) {
	for _, member := range members {
		entry, quiet := silent[member]
		switch {
		case slices.Contains(kept, member):
			shown = append(shown, member)
		case quiet && entry:
			return nil, fmt.Errorf("no output of %q is kept: the entry of a formation has the terminal for itself", member)
		case quiet && c.Follow:
			shown = append(shown, member)
		case quiet:
		case len(kept) == 0:
			return nil, fmt.Errorf("no output of %q is kept in formation %s, nor of another member", member, launched)
		default:
			return nil, &hintedError{
				fmt.Errorf("no output of %q is kept in formation %s", member, launched), "there is output of " + strings.Join(kept, ", "),
			}
		}
	}
	return shown, nil
}

// keptOutputs lists the members of which there is output.
func keptOutputs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var members []string
	for _, entry := range entries {
		if member, ok := strings.CutSuffix(entry.Name(), ".log"); ok {
			members = append(members, member)
		}
	}
	return members, nil
}

// show prints what the members wrote: one after the other, or, when following, each line as it comes. The lines of
// several members have their names in front.
func (c *logsCommand) show(ctx context.Context, o *outside, dir string, members []string, options output.FollowOptions) error {
	var mu sync.Mutex
	var all sync.WaitGroup
	failures := make([]error, len(members))
	for i, member := range members {
		printer := &linePrinter{to: o.stdout, mu: &mu}
		if len(members) > 1 {
			printer.prefix = []byte("[" + member + "] ")
		}
		follow := func() {
			failures[i] = output.Follow(ctx, filepath.Join(dir, member+".log"), options, printer.print)
			printer.end()
		}
		if c.Follow {
			all.Go(follow)
		} else {
			follow()
		}
	}
	all.Wait()
	return errors.Join(failures...)
}

// linePrinter prints one member's blocks among those of others. Without a prefix bytes pass as they are; with one
// only whole lines do, so that no line is made of two.
type linePrinter struct {
	to     *os.File
	mu     *sync.Mutex
	prefix []byte
	open   []byte
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
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = p.to.Write(data) // a reader that went away ends us by SIGPIPE
	}
}
