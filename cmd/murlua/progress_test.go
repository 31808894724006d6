package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
)

func launchEvents() []formation.Event {
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	return []formation.Event{
		{Kind: formation.Launching},
		{Kind: formation.Spawned, Member: "coder", At: at(1), PID: 10},
		{Kind: formation.Spawned, Member: "b", At: at(2), PID: 11},
		{Kind: formation.Reported, Member: "coder", At: at(20), URL: "http://localhost:4000"},
		{Kind: formation.DoorAnswered, Member: "coder", At: at(21)},
		{Kind: formation.Ready, Member: "coder", At: at(21), URL: "http://localhost:4000"},
		{Kind: formation.Failed, Member: "b", At: at(11000)},
	}
}

func TestProgressElsewhereIsALineForEachStep(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, terminal{}, false)
	for _, e := range launchEvents() {
		p.event(e)
	}
	want := `  coder  starting         1 ms
  b      starting         2 ms
  coder  reported        20 ms  localhost:4000
  coder  door answers    21 ms
  coder  ready           21 ms  localhost:4000
  b      failed         11.0 s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// On a terminal the screen, not the stream, is what counts.
func TestProgressOnATerminalRewritesALineForEachMember(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, terminal{isTerminal: true, columns: func() int { return 80 }}, false)
	for _, e := range launchEvents() {
		p.event(e)
		if e.Kind == formation.Reported {
			if _, err := p.Write([]byte("[coder] hello\n[coder] unfinished")); err != nil {
				t.Fatal(err)
			}
			p.note("murlua: warning: something")
		}
	}
	p.event(formation.Event{Kind: formation.Ready, At: 12 * time.Second})
	p.event(formation.Event{Kind: formation.EntryStarted, Member: "lead", At: 12 * time.Second})
	want := []string{
		"[coder] hello",
		"murlua: warning: something",
		"  coder  ready           21 ms  localhost:4000",
		"  b      failed         11.0 s",
		"[coder] unfinished",
		"ready in 12.0 s",
		"  lead   running        12.0 s",
	}
	if diff := cmp.Diff(want, screen(out.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// screen plays what was written to a terminal: newline, "up n lines" and "clear from here".
func screen(written string) []string {
	lines, row := []string{""}, 0
	for len(written) > 0 {
		switch {
		case strings.HasPrefix(written, "\x1b[J"):
			lines, written = append(lines[:row], ""), written[3:]
		case strings.HasPrefix(written, "\x1b["):
			up, rest, _ := strings.Cut(written[2:], "A")
			row -= int(up[0] - '0') // fewer than ten members are shown here
			written = rest
		case written[0] == '\n':
			row++
			if row == len(lines) {
				lines = append(lines, "")
			}
			written = written[1:]
		default:
			lines[row] += written[:1]
			written = written[1:]
		}
	}
	return lines[:len(lines)-1]
}

func TestProgressSaysWhatIsMissing(t *testing.T) {
	missing := formation.Event{
		Kind: formation.NotReadyYet, Member: "db", At: 7 * time.Millisecond, Detail: "waiting until port 6390 accepts connections: connection refused",
	}
	var screen, log strings.Builder
	onScreen := newProgress(&screen, terminal{isTerminal: true, columns: func() int { return 100 }}, false)
	onScreen.event(missing)
	want := "  db  waiting          7 ms  until port 6390 accepts connections: connection refused\n"
	if diff := cmp.Diff(want, screen.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	newProgress(&log, terminal{}, false).event(missing)
	if log.Len() > 0 {
		t.Errorf("without a screen it printed %q", log.String())
	}
}
