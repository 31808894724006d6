package repl

import (
	"context"
	"fmt"
	"io"
	"maps"
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
	// that the input calls keep the host's. What the input spawned and nobody joined is reported there too when it
	// fails; with nil, to the host's Warn.
	Out io.Writer
	// Functions are further names that the session's input sees, and nobody else.
	Functions map[string]engine.Function
	// Values are further variables of the same kind, converted as by [engine.FromGo].
	Values map[string]any
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

// New starts a session. Its input sees mur, which is otherwise for require to get.
func New(ctx context.Context, options Options) (*Session, error) {
	s := &Session{options: options, known: map[string]bool{"_": true}}
	err := options.Host.Do(ctx, func(c *engine.Call) error {
		s.locals = c.L().NewTable()
		mur, err := c.Call(c.L().G.Global.RawGetString("require"), "mur")
		if err != nil {
			return err
		}
		s.locals.RawSetString("mur", mur[0])
		s.known["mur"] = true
		own := map[string]any{}
		if options.Out != nil {
			own["print"] = printTo(options.Out)
		}
		for name, fn := range options.Functions {
			own[name] = fn
		}
		maps.Copy(own, options.Values)
		for name, v := range own {
			converted, err := engine.FromGo(c.L(), v)
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
		return Result{Err: err}
	}
	return s.evaluate(ctx, func(c *engine.Call) (lua.LValue, error) {
		inner, err := c.Call(c.L().NewFunctionFromProto(proto), s.locals)
		if err != nil {
			return nil, err
		}
		return inner[0], nil
	})
}

// Load runs a chunk from somewhere else, such as a file: its locals are its own.
func (s *Session) Load(ctx context.Context, name, source string) Result {
	proto, err := engine.Compile(name, source)
	if err != nil {
		return Result{Err: err}
	}
	return s.evaluate(ctx, func(c *engine.Call) (lua.LValue, error) { return c.L().NewFunctionFromProto(proto), nil })
}

// Forget drops the modules that scripts have loaded, so that the next require loads them again. Those of mur and of
// the language stay.
func (s *Session) Forget(ctx context.Context) error {
	return s.options.Host.Do(ctx, func(c *engine.Call) error {
		globals := c.L().G.Global
		pkg, _ := globals.RawGetString("package").(*lua.LTable)
		if pkg == nil {
			return nil
		}
		loaded, _ := pkg.RawGetString("loaded").(*lua.LTable)
		if loaded == nil {
			return nil
		}
		var names []lua.LValue
		loaded.ForEach(func(key, v lua.LValue) {
			name := lua.LVAsString(key)
			if v != globals.RawGetString(name) && name != "_G" && name != "mur" && !strings.HasPrefix(name, "mur.") {
				names = append(names, key)
			}
		})
		for _, name := range names {
			loaded.RawSet(name, lua.LNil)
		}
		return nil
	})
}

// evaluate calls a function in a task of its own, waits for it, and shows what it returned.
func (s *Session) evaluate(ctx context.Context, function func(c *engine.Call) (lua.LValue, error)) Result {
	started := time.Now()
	var task *engine.Task
	err := s.options.Host.Do(ctx, func(c *engine.Call) error {
		fn, err := function(c)
		if err != nil {
			return err
		}
		if task, err = c.Host().Spawn(ctx, fn.(*lua.LFunction)); err == nil {
			task.SpawnDetached(s.tell()) // what a line starts goes on when the line has ended
		}
		return err
	})
	if err != nil {
		return Result{Err: err, Took: time.Since(started)}
	}
	values, err := task.Wait(context.Background())
	result := Result{Err: err, Took: time.Since(started)}
	if err != nil || len(values) == 0 {
		return result
	}
	shown := make(chan []string, 1) // the task may outlive the wait when a call inside it is stuck
	result.Err = s.options.Host.Do(ctx, func(c *engine.Call) error {
		s.locals.RawSetString("_", values[0])
		var texts []string
		for _, v := range values {
			texts = append(texts, value.Format(value.Of(v, value.Options{Describe: Describer(c)}), s.options.Limits))
		}
		shown <- texts
		return nil
	})
	if result.Err == nil {
		result.Values = <-shown
	}
	return result
}

// tell returns who hears of what a line started and nobody joined when it fails; nil leaves it to the host.
func (s *Session) tell() func(error) {
	if s.options.Out == nil {
		return nil
	}
	return func(err error) { fmt.Fprintf(s.options.Out, "warning: %v\n", err) }
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
