package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"murlua/engine"
)

// Next says what a prompt does after a line.
type Next int

// What comes after a line.
const (
	Again Next = iota // a new input
	More              // the input goes on
	Leave             // the conversation is over
)

// Console is a conversation by lines: it joins lines to inputs, evaluates them, shows what came of it, and
// understands the commands that begin with a colon. It is used by one goroutine.
type Console struct {
	Session *Session
	// Out takes everything that is shown. Required.
	Out io.Writer
	// Err takes what goes wrong instead; nil is Out.
	Err io.Writer
	// ReadFile reads what :load names. Required for :load and :reload.
	ReadFile func(path string) (string, error)
	// SlowFrom is how long an evaluation takes at least whose time is shown; 0 means a second.
	SlowFrom time.Duration

	// Exit is the status given to os.exit, when that ended the conversation.
	Exit *engine.ExitError

	// Failed says whether the last evaluation failed.
	Failed bool

	timing  bool
	pending []string
	file    string // loaded last
}

// commandsHelp is what :help shows.
const commandsHelp = `An input is an expression, whose values are shown, or statements. What ends in the middle goes on in the next
line; ^C drops it. Variables declared with local stay. _ is the last value. Tab completes.
  help(x)        explain a function, a module, an object, or a topic such as "mur.fs.read"
  ps()           list what runs on this machine
  :load FILE     run a file here
  :reload        run it again, with the modules it requires
  :time [EXPR]   show how long EXPR takes; alone, turn the time of everything on or off
  :help          this text
  :quit          leave; ^D does it too
`

// Pending is the input so far, when it goes on: what stands before the line that is being typed.
func (c *Console) Pending() string {
	if len(c.pending) == 0 {
		return ""
	}
	return strings.Join(c.pending, "\n") + "\n"
}

// Drop forgets the input so far, and returns whether there was any.
func (c *Console) Drop() bool {
	had := len(c.pending) > 0
	c.pending = nil
	return had
}

// Line takes the next line. The end of ctx stops what it evaluates, and nothing else.
func (c *Console) Line(ctx context.Context, line string) Next {
	trimmed := strings.TrimSpace(line)
	if len(c.pending) == 0 {
		if trimmed == "" {
			return Again
		}
		if strings.HasPrefix(trimmed, ":") && !strings.HasPrefix(trimmed, "::") { // a label begins with two
			return c.command(ctx, trimmed[1:])
		}
	}
	c.pending = append(c.pending, line)
	result := c.Session.Eval(ctx, strings.Join(c.pending, "\n"))
	if result.Incomplete {
		return More
	}
	c.pending = nil
	return c.show(result, c.timing)
}

func (c *Console) command(ctx context.Context, text string) Next {
	name, argument, _ := strings.Cut(text, " ")
	argument = strings.TrimSpace(argument)
	switch name {
	case "quit", "q", "exit":
		return Leave
	case "help", "h", "?":
		c.say(commandsHelp)
	case "time":
		return c.time(ctx, argument)
	case "load":
		if argument == "" {
			c.say(":load takes the path of a file\n")
			return Again
		}
		return c.load(ctx, argument)
	case "reload":
		if c.file == "" {
			c.say("nothing was loaded yet: :load FILE\n")
			return Again
		}
		if err := c.Session.Forget(ctx); err != nil {
			c.complain(Describe(err))
			return Again
		}
		return c.load(ctx, c.file)
	default:
		c.complain(fmt.Sprintf("there is no command :%s; :help lists them\n", name))
	}
	return Again
}

func (c *Console) time(ctx context.Context, argument string) Next {
	if argument == "" {
		c.timing = !c.timing
		c.say(map[bool]string{true: "times are shown\n", false: "times are not shown\n"}[c.timing])
		return Again
	}
	result := c.Session.Eval(ctx, argument)
	if result.Incomplete {
		c.say("the expression ends in the middle\n")
		return Again
	}
	return c.show(result, true)
}

func (c *Console) load(ctx context.Context, path string) Next {
	source, err := c.ReadFile(path)
	if err != nil {
		c.complain(Describe(err))
		return Again
	}
	c.file = path
	return c.show(c.Session.Load(ctx, path, source), c.timing)
}

// Load runs a file, as :load does.
func (c *Console) Load(ctx context.Context, path string) Next { return c.load(ctx, path) }

func (c *Console) show(result Result, timed bool) Next {
	c.Failed = result.Err != nil
	var exit *engine.ExitError
	if errors.As(result.Err, &exit) {
		c.Exit = exit
		return Leave
	}
	var out strings.Builder
	for _, v := range result.Values {
		out.WriteString(v + "\n")
	}
	if result.Err != nil {
		c.complain(Describe(result.Err))
	}
	slow := c.SlowFrom
	if slow == 0 {
		slow = time.Second
	}
	if timed || result.Took >= slow {
		fmt.Fprintf(&out, "(%s)\n", shortTime(result.Took))
	}
	c.say(out.String())
	return Again
}

func (c *Console) say(text string) { _, _ = io.WriteString(c.Out, text) }

func (c *Console) complain(text string) {
	to := c.Err
	if to == nil {
		to = c.Out
	}
	_, _ = io.WriteString(to, text)
}

func shortTime(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// Describe is an error as a person wants to read it: what, where, what to do about it, and the traceback when more
// than the input itself is on it. It ends with a newline.
func Describe(err error) string {
	text := err.Error()
	own, ok := errors.AsType[*engine.Error](err)
	if ok && own.Hint != "" && !strings.Contains(text, own.Hint) {
		text += "\n  hint: " + own.Hint
	}
	if ok && own.UsefulTrace() != "" {
		text += "\n" + own.UsefulTrace()
	}
	return strings.TrimRight(text, "\n") + "\n"
}
