package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"murlua/engine"
	"murlua/stdlib/meta"
)

// Finding is one thing that is wrong.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"` // syntax, global, member, call, argument, option, return, value or plan
	Message string `json:"message"`

	about string // what a library does not have
}

// String is the finding as a line of a report: "file:line: message".
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Surface is what scripts can use.
type Surface struct {
	Docs      *meta.Docs          // the modules of mur
	Globals   []string            // names that are always there
	Libraries map[string][]string // the functions and values of those globals that are tables

	// Circle finds members that wait for each other: the first of them and a sentence about them, or nothing. It is that
	// of the launch, which this package must not know; nil finds none.
	Circle func(names []string, after func(name string) []string) (first, sentence string)
	// Module finds the source of a module of the script's own, which may assign globals. With nil, or false, any may be.
	Module func(name string) (source string, found bool)
}

// NewSurface describes a host with no modules but those in the stubs, and no Circle.
func NewSurface(docs *meta.Docs) (Surface, error) {
	globals, libraries, err := engine.Globals()
	return Surface{Docs: docs, Globals: globals, Libraries: libraries}, err
}

// Script checks one script, in the order of its lines.
func Script(file, source string, surface Surface) []Finding {
	c := newChecker(file, surface)
	if _, err := engine.Compile(file, source); err != nil {
		return []Finding{c.syntax(err)}
	}
	if err := c.walk(source); err != nil {
		return []Finding{c.syntax(err)}
	}
	c.unused()
	c.meantLocal()
	c.missing()
	c.findings = slices.DeleteFunc(c.findings, func(f Finding) bool { return f.about != "" && c.asked[f.about] })
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return a.Line - b.Line })
	return slices.Compact(c.findings)
}

func newChecker(file string, surface Surface) *checker {
	c := &checker{
		file: file, Surface: surface, assigned: map[string]int{}, globals: map[string]bool{}, fields: map[string]bool{}, places: map[string]bool{}, uses: map[string][]use{},
		read: map[string]bool{}, own: map[string]bool{}, asked: map[string]bool{}, elsewhere: map[string]bool{}, known: map[ast.Expr]value{}, expected: map[*ast.FunctionExpr]meta.Signature{},
	}
	for _, name := range surface.Globals {
		c.globals[name] = true
	}
	return c
}

// walk goes through a script.
func (c *checker) walk(source string) error {
	if strings.HasPrefix(source, "#") {
		source = "--" + source
	}
	chunk, err := engine.Parse(c.file, source)
	if err != nil {
		return err
	}
	c.declare(chunk)
	c.block(chunk, nil)
	return nil
}

type checker struct {
	Surface
	file     string
	findings []Finding
	assigned map[string]int  // how often a name is assigned after its declaration, anywhere
	globals  map[string]bool // those that are there, and those that the script assigns
	uses     map[string][]use
	read     map[string]bool // names of locals whose values are used
	own      map[string]bool // modules of the script's own that it requires, directly or not
	asked    map[string]bool // what the script asks for whether a library has it: "math.type"

	elsewhere map[string]bool // globals that those use
	plans     []named
	fields    map[string]bool // names of fields that the script assigns, of whatever
	places    map[string]bool // what the script assigns in tables, as it is written: "t.x", "t[…]"

	known    map[ast.Expr]value                   // what is known of the values of expressions
	expected map[*ast.FunctionExpr]meta.Signature // how functions will be called

	anyGlobal bool // the script decides itself what a global is that nothing assigned
	functions int  // how many are around what is checked
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
