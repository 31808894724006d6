package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/peterh/liner"
)

// prompter asks for lines. One prompt is open at a time.
type prompter interface {
	// prompt shows the text and begins to wait for a line. The answer comes on the channel: a line, errAborted
	// for ^C, or io.EOF for ^D.
	prompt(text string) <-chan answer
	// remember puts an input, which may have several lines, into the history.
	remember(input string)
	// complete says who completes words. pending is what stands before the line.
	complete(find func(ctx context.Context, input string) (head string, words []string), pending func() string)
	// close puts the terminal back as it was. It may be called while a prompt is open, and again.
	close()
}

type answer struct {
	line string
	err  error
}

// errAborted is ^C at a prompt.
var errAborted = errors.New("aborted")

// minColumns is how wide a terminal has to be for editing lines.
const minColumns = 20

func openPrompter(o *outside) (prompter, error) {
	out := o.terminalOf(o.stdout)
	if !out.isTerminal || out.columns() < minColumns || !liner.TerminalSupported() {
		return &plainPrompter{in: bufio.NewReader(o.stdin), out: o.stdout}, nil
	}
	return openEditor(historyFile(o))
}

// editor is a prompter that edits lines, with history and completion. The terminal is raw only while a prompt is
// open: scripts, members and what they print have it as it was found.
type editor struct {
	liner       *liner.State
	cooked, raw liner.ModeApplier
	history     *history
}

func openEditor(path string) (*editor, error) {
	cooked, err := liner.TerminalMode()
	if err != nil {
		return nil, fmt.Errorf("cannot read the terminal's mode: %w", err)
	}
	state := liner.NewLiner()
	raw, err := liner.TerminalMode()
	if err != nil {
		state.Close()
		return nil, fmt.Errorf("cannot read the terminal's mode: %w", err)
	}
	state.SetCtrlCAborts(true)
	state.SetTabCompletionStyle(liner.TabPrints)
	state.SetBeep(false)
	e := &editor{liner: state, cooked: cooked, raw: raw, history: openHistory(path)}
	for _, line := range e.history.lines {
		state.AppendHistory(line)
	}
	return e, cooked.ApplyMode()
}

func (e *editor) prompt(text string) <-chan answer {
	answers := make(chan answer, 1)
	if err := e.raw.ApplyMode(); err != nil {
		answers <- answer{err: fmt.Errorf("cannot set the terminal's mode: %w", err)}
		return answers
	}
	go func() { // ends with the line, or with the process
		line, err := e.line(text)
		if errors.Is(err, liner.ErrPromptAborted) {
			err = errAborted
		}
		answers <- answer{line, err} // the last thing it does: the next prompt has the terminal from here on
	}()
	return answers
}

// line reads a line and puts the terminal back as it was, also before a panic ends the process.
func (e *editor) line(text string) (string, error) {
	defer e.restore()
	return e.liner.Prompt(text)
}

func (e *editor) restore() { _ = e.cooked.ApplyMode() }

func (e *editor) remember(input string) {
	for _, entry := range e.history.add(input) {
		e.liner.AppendHistory(entry)
	}
}

func (e *editor) complete(find func(context.Context, string) (string, []string), pending func() string) {
	e.liner.SetWordCompleter(func(line string, position int) (string, []string, string) {
		runes := []rune(line)
		left, right := string(runes[:position]), string(runes[position:])
		before := pending()
		head, words := find(context.Background(), before+left)
		return strings.TrimPrefix(head, before), words, right
	})
}

func (e *editor) close() {
	e.restore()
	_ = e.liner.Close()
}

// plainPrompter is a prompter for terminals that can do nothing.
type plainPrompter struct {
	in  *bufio.Reader
	out io.Writer
}

func (p *plainPrompter) prompt(text string) <-chan answer {
	writeAll(p.out, text)
	answers := make(chan answer, 1)
	go func() { // ends with the line, or with the process
		line, err := p.in.ReadString('\n')
		if line != "" {
			err = nil // the last line need not end
		}
		answers <- answer{strings.TrimRight(line, "\r\n"), err}
	}()
	return answers
}

func (p *plainPrompter) remember(string)                                                          {}
func (p *plainPrompter) complete(func(context.Context, string) (string, []string), func() string) {}
func (p *plainPrompter) close()                                                                   {}

// outlet is what everything is shown on. While a prompt is open it keeps what is printed, so that the line that is
// being typed stays whole, and shows it when the line is there.
type outlet struct {
	to io.Writer

	mu      sync.Mutex
	open    bool
	kept    []byte
	dropped int
}

// maxKept bounds what is kept while nobody presses return, give or take as much again: the newest is kept.
const maxKept = 128 << 10

func (s *outlet) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return s.to.Write(text)
	}
	s.kept = append(s.kept, text...)
	if over := len(s.kept) - maxKept; over > maxKept { // seldom: what is kept has to be moved
		if i := strings.IndexByte(string(s.kept[over:]), '\n'); i >= 0 {
			over += i + 1 // whole lines
		}
		s.kept = append([]byte(nil), s.kept[over:]...)
		s.dropped += over
	}
	return len(text), nil
}

// note shows a line.
func (s *outlet) note(text string) { _, _ = s.Write([]byte(text + "\n")) }

// prompting says whether a prompt is open.
func (s *outlet) prompting(open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = open
	if open {
		return
	}
	if s.dropped > 0 {
		writeAll(s.to, fmt.Sprintf("… %d bytes left out\n", s.dropped))
	}
	writeAll(s.to, string(s.kept))
	s.kept, s.dropped = nil, 0
}

// history keeps the inputs of conversations in a file, one a line.
type history struct {
	path  string // "" keeps none
	lines []string
}

const (
	// maxHistory is how many lines are offered.
	maxHistory = 1000
	// maxHistoryLine is what the editor takes.
	maxHistoryLine = 4000
)

func openHistory(path string) *history {
	h := &history{path: path}
	if path == "" {
		return h
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return h
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && len(line) <= maxHistoryLine && utf8.ValidString(line) {
			h.lines = append(h.lines, line)
		}
	}
	h.lines = h.lines[max(0, len(h.lines)-maxHistory):]
	return h
}

// add takes an input and returns the entries that it becomes: one, its lines joined; or one for each line, when
// joining them would change what they mean.
func (h *history) add(input string) (entries []string) {
	candidates := []string{strings.ReplaceAll(input, "\n", " ")}
	if strings.Contains(input, "\n") && (strings.Contains(input, "--") || strings.Contains(input, "[[")) {
		candidates = strings.Split(input, "\n")
	}
	for _, entry := range candidates {
		if strings.TrimSpace(entry) != "" && len(entry) <= maxHistoryLine && utf8.ValidString(entry) {
			entries = append(entries, entry)
		}
	}
	h.save(entries)
	return entries
}

// save appends the entries. A history that cannot be written is no reason to stop a conversation.
func (h *history) save(entries []string) {
	if len(entries) == 0 || h.path == "" || os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	file, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	writeAll(file, strings.Join(entries, "\n")+"\n")
}
