package repl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/engine/value"
)

// Options say what a session works on.
type Options struct {
	// Host is where input is evaluated. Required. The session does not close it.
	Host *engine.Host
	// Out is where print writes when it is called by the input itself; nil leaves it to the host's. Functions
	// that the input calls keep the host's.
	Out io.Writer
	// Functions are further names that the session's input sees, and nobody else.
	Functions map[string]engine.Function
	// Limits of what is shown of a value.
	Limits value.Limits
	// Completion asks these; each may be nil.
	Names Names
}

// Session is one conversation with a host.
type Session struct {
	options Options
	known   map[string]bool // the names of lifted locals
	inputs  int
	locals  *lua.LTable // for the holder of the host's lock
}

// New starts a session.
func New(ctx context.Context, options Options) (*Session, error) {
	s := &Session{options: options, known: map[string]bool{"_": true}}
	err := options.Host.Do(ctx, func(c *engine.Call) error {
		s.locals = c.L().NewTable()
		functions := map[string]engine.Function{}
		if options.Out != nil {
			functions["print"] = printTo(options.Out)
		}
		for name, fn := range options.Functions {
			functions[name] = fn
		}
		for name, fn := range functions {
			converted, err := engine.FromGo(c.L(), fn)
			if err != nil {
				return err
			}
			s.locals.RawSetString(name, converted)
			s.known[name] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start a session: %w", err)
	}
	return s, nil
}

// Result is what became of one input.
type Result struct {
	// Incomplete says that the input ends in the middle: evaluate it again with more lines. Nothing was run.
	Incomplete bool
	// Values are what the input returned, each as it is shown.
	Values []string
	// Err is why it failed; it has the script's file and line, and may carry a hint and a traceback as an
	// [*engine.Error] does. An [*engine.ExitError] is a call of os.exit.
	Err error
	// Took is how long the evaluation ran.
	Took time.Duration
}

// Eval evaluates one input, which may have several lines, and waits for it. The end of ctx stops it: softly, then
// hard. The first value of an input that has any is _ afterwards.
func (s *Session) Eval(ctx context.Context, input string) Result {
	name := fmt.Sprintf("input %d", s.inputs+1)
	proto, incomplete, err := compile(name, input, s.known)
	if incomplete {
		return Result{Incomplete: true}
	}
	s.inputs++
	if err != nil {
		return Result{Err: wording(name, input, err)}
	}
	started := time.Now()
	values := make(chan []string, 1) // the task may outlive the wait when a call inside it is stuck
	err = s.options.Host.Do(ctx, func(c *engine.Call) error {
		shown, err := s.run(c, proto)
		values <- shown
		return err
	})
	result := Result{Err: err, Took: time.Since(started)}
	if err == nil {
		result.Values = <-values
	}
	return result
}

func (s *Session) run(c *engine.Call, proto *lua.FunctionProto) ([]string, error) {
	inner, err := c.Call(c.L().NewFunctionFromProto(proto), s.locals)
	if err != nil {
		return nil, err
	}
	values, err := c.Call(inner[0])
	if err != nil || len(values) == 0 {
		return nil, err
	}
	s.locals.RawSetString("_", values[0])
	shown := make([]string, len(values))
	for i, v := range values {
		shown[i] = value.Format(value.Of(v, value.Options{Describe: Describer(c)}), s.options.Limits)
	}
	return shown, nil
}

// wording returns the error of an input that does not compile as the host words those of files.
func wording(name, input string, err error) error {
	if _, again := engine.Compile(name, strings.TrimPrefix(strings.TrimLeft(input, " \t"), "=")); again != nil {
		return again
	}
	return err
}

// Describer returns a function that names opaque values by what tostring says of them, in the task of the call.
// A __tostring that fails leaves the value's type and address.
func Describer(c *engine.Call) func(lua.LValue) (string, bool) {
	tostring := c.L().G.Global.RawGetString("tostring")
	return func(v lua.LValue) (string, bool) {
		texts, err := c.Call(tostring, v)
		if err != nil || len(texts) == 0 {
			return "", false
		}
		return lua.LVAsString(texts[0]), true
	}
}

// printTo is print with another destination.
func printTo(out io.Writer) engine.Function {
	return func(c *engine.Call) error {
		words := make([]string, c.Len())
		for i := range words {
			words[i] = c.Text(c.Get(i + 1))
		}
		line := strings.Join(words, "\t") + "\n"
		return c.Block(func(context.Context) error {
			_, err := io.WriteString(out, line)
			return err
		})
	}
}
