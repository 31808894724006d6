package engine

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Options says what a host's scripts see. The zero value is a host with no modules, no arguments and no output.
type Options struct {
	Modules []Module // the modules of mur, opened when first used
	Stdlib  *Library // Lua sources of further modules; may be shared by hosts
	Script  string   // the script's path: arg[0]
	Args    []string // the script's arguments: arg[1] and on, and the chunk's ...

	Stdin  io.Reader // read by io.read; nil is empty
	Stdout io.Writer // written by print and io.write, one write at a time; nil discards
	Stderr io.Writer // nil discards

	Shell Shell // of os.execute and io.popen; nil refuses both

	Getenv  func(name string) (string, bool) // of os.getenv; nil knows no variable
	Files   fs.FS                            // where require looks first for name.lua and name/init.lua; nil is nowhere
	Folders []string                         // where it looks then, in order

	Deadline time.Duration // of one Run; 0 is none
	Grace    time.Duration // between soft and hard stop; 0 is 30 ms
	Cleanup  time.Duration // for each function given to mur.defer; 0 is 5 s
	Budget   int64         // instructions that all tasks together may run; 0 is no bound

	// Patience is how long one task may keep all others waiting before Warn hears of it; 0 is 1 s, negative is for ever.
	Patience time.Duration

	MaxString     int   // bytes of one string that the libraries make; 0 is 256 MiB
	MaxOutput     int64 // bytes that print and io.write may write to Stdout; 0 is no bound
	MaxTasks      int   // tasks at the same time; 0 is 100,000
	MaxCoroutines int   // suspended coroutines of one task, each of which holds a goroutine; 0 is 100,000

	Strict  bool // reading or writing an undeclared global is an error
	Sandbox bool // only the functions and [Module.Safe] modules that reach nothing outside, and tighter limits

	withheld map[string]bool // the modules that the sandbox does not have; one's Lua part is of no use without the Go part

	Warn func(message string) // reports that are not errors; nil drops them
}

// Function is a function that Lua can call. It reads its arguments from the call, returns values with [Call.Return],
// and fails by returning an error, which Lua sees raised as an error object. It runs with the lock held: whatever can
// wait belongs inside [Call.Block].
type Function func(c *Call) error

// Module is one module of mur, opened when a script first touches it. Functions and Call are enough for most; Open
// adds what needs the VM, such as constants and types.
type Module struct {
	Name      string              // as in mur.<name>; "" puts the functions into mur itself
	Doc       string              // one line for help
	Functions map[string]Function // by their Lua names
	Call      Function            // makes the module itself callable: mur.<name>(...)
	Open      func(c *Call, module *lua.LTable) error
	Safe      bool // reaches nothing outside the script: sandboxed scripts have it too
}

// NewLibrary returns a library of the files <name>.lua in the top folder of files. Each is compiled when first used
// and shared by all hosts that use the library.
func NewLibrary(files fs.FS) *Library { return &Library{files: files} }

func (o *Options) setDefaults() {
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	o.Stdout, o.Stderr = oneAtATime(o.Stdout), oneAtATime(o.Stderr)
	if o.Getenv == nil {
		o.Getenv = func(string) (string, bool) { return "", false }
	}
	if o.Grace == 0 {
		o.Grace = 30 * time.Millisecond
	}
	if o.Sandbox {
		o.restrict()
	}
	if o.Patience == 0 {
		o.Patience = time.Second
	}
	if o.MaxTasks == 0 {
		o.MaxTasks = 100_000
	}
	if o.MaxCoroutines == 0 {
		o.MaxCoroutines = 100_000
	}
	if o.MaxString == 0 {
		o.MaxString = 256 << 20
	}
	if o.Cleanup == 0 {
		o.Cleanup = 5 * time.Second
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
}

// oneAtATime makes a writer safe for the several tasks and commands that write to it. Files are by themselves.
func oneAtATime(w io.Writer) io.Writer {
	switch w.(type) {
	case *os.File, *sharedWriter:
		return w
	}
	return &sharedWriter{w: w}
}

type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
