package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"murlua/lifecycle/formation"
)

// progress shows how the members of formations come up, on standard error: one line for each member. On a terminal
// the lines are rewritten in place, until every member is ready; elsewhere each step is a line of its own. What
// members print meanwhile goes through Write, so that it stands above the lines.
//
// The rules of the display: lower case, no full stops, the member first, times in milliseconds up to ten seconds; a
// colour never says anything that a word does not.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	live    bool // a terminal: lines are rewritten
	colour  bool
	columns func() int

	members []*memberLine // in the order of the plan
	drawn   int           // lines on the screen that belong to us
	settled bool          // the formation is up or ending: what comes now is a line of its own
	ending  bool          // the formation is being stopped: that its members end is no news
	partial bytes.Buffer  // of a line that members print and that has not ended
	midline bool          // the last thing printed is a line that has not ended
}

type memberLine struct {
	name, state, detail string
	at                  time.Duration
	failed, entry       bool
}

func newProgress(out io.Writer, term terminal, colour bool) *progress {
	return &progress{out: out, live: term.isTerminal, colour: colour, columns: term.columns}
}

// event takes the next event of a formation. It is called by one goroutine for each formation.
func (p *progress) event(e formation.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Member == "" {
		p.formationEvent(e)
		return
	}
	line := p.line(e.Member)
	if e.Kind == formation.NotReadyYet && (!p.live || p.settled) {
		return // what is missing changes often; without a screen the refusal says it in the end
	}
	text, shown := describe(e, line)
	if e.Kind == formation.Exited && !p.ending && (e.Status != formation.Status{} || !line.entry) {
		text, shown = "exited: "+e.Status.String(), true
	}
	if !shown {
		return
	}
	line.state, line.at, line.detail = text, e.At, ""
	if e.Kind == formation.NotReadyYet {
		line.detail = strings.TrimLeft(strings.TrimPrefix(e.Detail, "waiting"), ": ")
	}
	if e.Kind == formation.Reported || e.Kind == formation.Ready {
		line.detail = strings.TrimPrefix(e.URL, "http://")
	}
	line.failed = e.Kind == formation.Failed || e.Kind == formation.Exited && e.Status != formation.Status{}
	if p.live && !p.settled {
		p.redraw()
		return
	}
	p.print(p.render(line, p.width(), 0))
}

func (p *progress) formationEvent(e formation.Event) {
	switch e.Kind {
	case formation.Launching:
		p.settled, p.ending = false, false
		for _, name := range e.Members { // in the order of the plan, whoever is first
			p.line(name)
		}
	case formation.Ready:
		p.settle()
		p.print(p.paint("32", "ready") + fmt.Sprintf(" in %s", span(e.At)))
	case formation.Stopping:
		p.settle()
		if strings.Contains(e.Detail, " exited with ") && !slices.ContainsFunc(p.members, func(l *memberLine) bool { return l.entry }) {
			p.print("stopping: " + e.Detail) // with an entry, that is what a formation is for
		}
		p.ending = true
	case formation.Ended:
		p.settle()
		p.members = nil
	}
}

// describe says in a word or two what a member's event means; not every event is shown.
func describe(e formation.Event, line *memberLine) (text string, shown bool) {
	switch e.Kind {
	case formation.Waiting:
		return "waiting" + prefixed(" for ", e.Detail), true
	case formation.NotReadyYet:
		return "waiting", true
	case formation.Spawned:
		return "starting", true
	case formation.Reported:
		return "reported", true
	case formation.DoorAnswered:
		return "door answers", true
	case formation.Ready:
		return "ready", true
	case formation.Failed:
		return "failed", true
	case formation.EntryStarted:
		line.entry = true
		return "running", true
	case formation.Rung:
		if e.Detail == formation.RungKill {
			return "killed", true
		}
	}
	return "", false
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// Write prints whole lines above the members' lines; an unfinished line waits for its end.
func (p *progress) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.live || p.drawn == 0 {
		return p.pass(data)
	}
	p.partial.Write(data)
	end := bytes.LastIndexByte(p.partial.Bytes(), '\n')
	if end < 0 {
		return len(data), nil
	}
	p.erase()
	_, err := p.pass(p.partial.Next(end + 1))
	p.redraw()
	return len(data), err
}

// note prints a line of ours above the members' lines, beside what members print.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	redraw := p.live && p.drawn > 0
	p.erase()
	p.print(text)
	if redraw {
		p.redraw()
	}
}

// pass prints what members print.
func (p *progress) pass(data []byte) (int, error) {
	if len(data) > 0 {
		p.midline = data[len(data)-1] != '\n'
	}
	return p.out.Write(data)
}

// close leaves the last state on the screen.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
}

// settle makes the lines on the screen part of what scrolls away.
func (p *progress) settle() {
	p.drawn, p.settled = 0, true
	if p.partial.Len() > 0 {
		_, _ = p.pass(p.partial.Bytes())
		p.partial.Reset()
	}
}

func (p *progress) line(name string) *memberLine {
	i := slices.IndexFunc(p.members, func(l *memberLine) bool { return l.name == name })
	if i >= 0 {
		return p.members[i]
	}
	line := &memberLine{name: name}
	p.members = append(p.members, line)
	return line
}

func (p *progress) width() int {
	width := 0
	for _, line := range p.members {
		width = max(width, len(line.name))
	}
	return width
}

// render makes a member's line, no wider than the screen: a line that wrapped could not be rewritten. Zero columns
// are no bound.
func (p *progress) render(line *memberLine, width, columns int) string {
	state := fmt.Sprintf("%-12s", line.state)
	text := fmt.Sprintf("  %-*s  %s %8s", width, line.name, state, span(line.at))
	if line.detail != "" {
		text += "  " + line.detail
	}
	if runes := []rune(text); columns > 0 && len(runes) >= columns {
		text = string(runes[:max(columns-2, 0)]) + "…"
	}
	switch {
	case line.failed:
		text = strings.Replace(text, state, p.paint("31", state), 1)
	case line.state == "ready":
		text = strings.Replace(text, state, p.paint("32", state), 1)
	}
	return text
}

func (p *progress) erase() {
	if p.drawn > 0 {
		writeAll(p.out, fmt.Sprintf("\x1b[%dA\x1b[J", p.drawn))
		p.drawn = 0
	}
}

func (p *progress) redraw() {
	p.erase()
	columns, width := p.columns(), p.width()
	for _, line := range p.members {
		if line.state != "" {
			p.print(p.render(line, width, columns))
			p.drawn++
		}
	}
}

// print writes a line of our own.
func (p *progress) print(line string) {
	if p.midline {
		line = "\n" + line
		p.midline = false
	}
	writeAll(p.out, line+"\n")
}

func (p *progress) paint(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// span writes a duration for people.
func span(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
