package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/keeper"
)

// outside is everything the command takes from the world around it. It is built once, in main; tests build
// their own.
type outside struct {
	args        []string // without the program's name
	environ     []string
	stdin       *os.File
	stdout      *os.File
	stderr      *os.File
	workdir     string
	executable  string // this program, to start members with
	openSignals opener
	exit        func(code int) // ends the process at once; nil: nothing does

	hurried context.Context // ends at the second signal; set while a command runs

	keeping sync.Mutex     // guards keeper: tests make worlds at the same time
	keeper  *keeper.Keeper // made when first needed, closed when the command has ended
}

// opener begins to catch the signals that end a command, until stop is called.
type opener func() (caught <-chan os.Signal, stop func())

// begun begins at once, in the background, and returns what waits for it: catching signals takes as long as starting a
// process.
func begun(open opener) opener {
	type opened struct {
		caught <-chan os.Signal
		stop   func()
	}
	done := make(chan opened, 1)
	go func() {
		caught, stop := open()
		done <- opened{caught, stop}
	}()
	return func() (<-chan os.Signal, func()) {
		o := <-done
		return o.caught, o.stop
	}
}

func newOutside() *outside {
	workdir, _ := os.Getwd()
	executable, _ := os.Executable()
	return &outside{
		args:       os.Args[1:],
		environ:    os.Environ(),
		stdin:      os.Stdin,
		stdout:     os.Stdout,
		stderr:     os.Stderr,
		workdir:    workdir,
		executable: executable,
		exit:       os.Exit,
		openSignals: func() (<-chan os.Signal, func()) {
			caught := make(chan os.Signal, 4)
			for _, number := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
				if !signal.Ignored(number) { // whoever started us, nohup for one, does not want us to end by it
					signal.Notify(caught, number)
				}
			}
			return caught, func() { signal.Stop(caught) }
		},
	}
}

// keep returns what starts all processes of the command.
func (o *outside) keep() *keeper.Keeper {
	o.keeping.Lock()
	defer o.keeping.Unlock()
	if o.keeper == nil {
		options := keeper.Options{Stderr: o.stderr}
		if h, err := home.Resolve(o.getenv("HOME")); err == nil {
			options.Marks = h.Marks()
		}
		o.keeper = keeper.New(options)
	}
	return o.keeper
}

// startsProcesses guesses, before the command line is read, whether it is a recipe's, which nearly always starts
// processes: reading the command line and the script takes as long as what starts them needs to come up. A wrong guess
// costs a few milliseconds of somebody's processor.
func startsProcesses(args []string) bool {
	if len(args) < 2 || args[0] != "run" {
		return false
	}
	for _, arg := range args[1:] {
		switch {
		case arg == "-h", arg == "--help", arg == "--plan", strings.HasPrefix(arg, "--capsule"):
			return false
		case !strings.HasPrefix(arg, "-"):
			return true // the recipe: what follows is its own
		}
	}
	return false
}

// release ends what the command may have left running, and the keeper.
func (o *outside) release() {
	if o.keeper == nil {
		return
	}
	hurried := o.hurried
	if hurried == nil {
		hurried = context.Background()
	}
	_ = o.keeper.Close(hurried) // whatever could not be ended has been told of by the keeper
}

// getenv returns the value of a variable, "" when it is not set. The last of several settings counts.
func (o *outside) getenv(name string) string {
	for i := len(o.environ) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(o.environ[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

// oneStroke is how close together two signals count as one: `timeout` and others signal a process and its group.
const oneStroke = 50 * time.Millisecond

// watchSignals ends the first context at the first signal, with a [formation.Interruption] as its cause, and the
// second at the next one, which means that there is no more patience. The one after that ends the process where it
// stands, which may be that nobody reads what it has to say: whatever still runs is ended as after a kill. The returned
// function ends the watching and waits for it.
func (o *outside) watchSignals(parent context.Context, open opener) (first, second context.Context, done func()) {
	first, interrupt := context.WithCancelCause(parent)
	second, hurry := context.WithCancelCause(parent)
	caught, stop := open()
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s := strokes{interrupt: interrupt, hurry: hurry, exit: o.exit}
		for {
			select {
			case <-quit:
				return
			case caught := <-caught:
				number, _ := caught.(syscall.Signal)
				s.caught(number, time.Now())
			}
		}
	}()
	return first, second, func() {
		stop()
		close(quit)
		<-ended
		interrupt(nil)
		hurry(nil)
	}
}

// strokes counts the signals that ask for the end.
type strokes struct {
	interrupt, hurry context.CancelCauseFunc
	exit             func(code int)

	count int
	first syscall.Signal
	last  time.Time
}

func (s *strokes) caught(signal syscall.Signal, at time.Time) {
	if s.count > 0 && at.Sub(s.last) <= oneStroke {
		return
	}
	s.count++
	s.last = at
	why := &formation.Interruption{Signal: signal}
	switch s.count {
	case 1:
		s.first = signal
		s.interrupt(why)
	case 2:
		s.hurry(why)
	default:
		if s.exit != nil {
			s.exit(exitSignal + int(s.first))
		}
	}
}

// writeAll writes text, and drops the error of a reader that went away: there is nobody left to tell.
func writeAll(w io.Writer, text string) {
	_, _ = io.WriteString(w, text)
}
