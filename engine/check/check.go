package check

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"murlua/engine"
	"murlua/stdlib/meta"
)

// Finding is one thing that is wrong.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"` // syntax, global, member, option or plan
	Message string `json:"message"`
}

// String is the finding as a line of a report: "file:line: message".
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Surface is what scripts can use.
type Surface struct {
	Docs      *meta.Docs          // the modules of mur
	Globals   []string            // names that are always there
	Libraries map[string][]string // the functions and values of those globals that are tables
}

// NewSurface describes a host with no modules but those in the stubs.
func NewSurface(docs *meta.Docs) (Surface, error) {
	globals, libraries, err := engine.Globals()
	return Surface{Docs: docs, Globals: globals, Libraries: libraries}, err
}

// Script checks one script, in the order of its lines.
func Script(file, source string, surface Surface) []Finding {
	c := &checker{file: file, Surface: surface, assigned: map[string]int{}, globals: map[string]bool{}}
	if _, err := engine.Compile(file, source); err != nil {
		return []Finding{c.syntax(err)}
	}
	if strings.HasPrefix(source, "#") {
		source = "--" + source
	}
	chunk, err := engine.Parse(file, source)
	if err != nil {
		return []Finding{c.syntax(err)}
	}
	for _, name := range surface.Globals {
		c.globals[name] = true
	}
	c.declare(chunk)
	c.block(chunk, nil)
	sort.SliceStable(c.findings, func(i, j int) bool { return c.findings[i].Line < c.findings[j].Line })
	return c.findings
}

type checker struct {
	Surface
	file     string
	findings []Finding
	assigned map[string]int  // how often a name is assigned after its declaration, anywhere
	globals  map[string]bool // those that are there, and those that the script assigns

	functions int // how many are around what is checked
}

func (c *checker) syntax(err error) Finding {
	f := Finding{File: c.file, Line: 1, Kind: "syntax", Message: err.Error()}
	var own *engine.Error
	if errors.As(err, &own) {
		f.Message = own.Message
		if _, line, ok := strings.Cut(strings.TrimPrefix(own.Where, c.file), ":"); ok {
			if n, err := strconv.Atoi(line); err == nil {
				f.Line = n
			}
		}
	}
	return f
}

func (c *checker) report(line int, kind, format string, args ...any) {
	c.findings = append(c.findings, Finding{File: c.file, Line: line, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// meant is "; did you mean 'x'?", or nothing.
func meant(name string, candidates []string) string {
	if near := engine.Nearest(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean '%s'?", near)
	}
	return ""
}
