package bindings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"murlua/engine"
	"murlua/engine/scenario"
)

// roomVariable marks the processes that tests of one file start, at whatever remove: its value is the room's folder.
const roomVariable = "MURLUA_TEST_ROOM"

// TestRoomOptions say how to make a [TestRoom].
type TestRoomOptions struct {
	// Temp is where the room's folder is made; "" is the system's folder for temporary files.
	Temp string
	// World makes the world of one host from what the room gives; the room fills in the outputs and Warn.
	World func(environ []string) *World
	// Environ is the environment that the room's is made from.
	Environ []string
	// Host completes what a host of the room is made with; modules and outputs are filled in.
	Host engine.Options
}

// TestRoom is what the tests of one file run in: a home directory and a folder for temporary files of their own, and
// a mark on every process they start. It is the [scenario.Surroundings] of real tests, used by one goroutine at a
// time.
type TestRoom struct {
	options TestRoomOptions
	dir     string
	environ []string

	mu     sync.Mutex
	output []*funnel // of the hosts that were made
}

// NewTestRoom makes a room. The caller closes it.
func NewTestRoom(options TestRoomOptions) (*TestRoom, error) {
	dir, err := os.MkdirTemp(options.Temp, "murlua-test-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for tests: %w", err)
	}
	r := &TestRoom{options: options, dir: dir}
	for _, sub := range []string{r.home(), r.temp()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot make a folder for tests: %w", err), os.RemoveAll(dir))
		}
	}
	// A member of a formation must not take the tests for a part of it.
	dropped := []string{"HOME", "TMPDIR", roomVariable}
	for _, entry := range options.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.Contains(dropped, name) && !strings.HasPrefix(name, "MURMUR_FORMATION_") && name != "MURMUR_SPAWNER_LIFELINE" {
			r.environ = append(r.environ, entry)
		}
	}
	r.environ = append(r.environ, "HOME="+r.home(), "TMPDIR="+r.temp(), roomVariable+"="+dir)
	return r, nil
}

func (r *TestRoom) home() string { return filepath.Join(r.dir, "home") }
func (r *TestRoom) temp() string { return filepath.Join(r.dir, "tmp") }

// standIn returns the program that is murmur's capsules in tests: their name says how they behave. It returns "" when
// it cannot be made.
func (r *TestRoom) standIn(executable string) string {
	path := filepath.Join(r.dir, "mur")
	script := "#!/bin/sh\nexec '" + strings.ReplaceAll(executable, "'", `'\''`) + "' stand-in \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return ""
	}
	return path
}

// Host makes a host whose scripts see the room and nothing of the home directory outside.
func (r *TestRoom) Host(test engine.Module, out io.Writer) (*engine.Host, error) {
	pipe, err := newFunnel(out)
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe for the output of members: %w", err)
	}
	r.mu.Lock()
	r.output = append(r.output, pipe)
	r.mu.Unlock()
	world := r.options.World(r.environ)
	world.Stdout, world.Stderr, world.Relay, world.Log.Out = pipe.in, pipe.in, out, out
	if world.getenv("MURMUR_MUR_BINARY") == "" {
		world.MurBinary = r.standIn(world.Executable)
	}
	options := r.options.Host
	world.Warn = func(text string) { _, _ = io.WriteString(out, "warning: "+text+"\n") }
	options.Stdout, options.Stderr, options.Warn = out, out, world.Warn
	if world.Keeper != nil {
		options.Shell = world.Shell
	}
	options.Modules = []engine.Module{world.testModule(test)}
	for _, m := range world.Modules() {
		if m.Name != test.Name {
			options.Modules = append(options.Modules, m)
		}
	}
	options.Getenv = func(name string) (string, bool) {
		value := world.getenv(name)
		return value, value != ""
	}
	return engine.New(options)
}

// Look lists the processes that carry the room's mark, the ports they listen on, the running records, and the
// temporary files. What formations keep of their members on purpose is not among it.
func (r *TestRoom) Look(context.Context) ([]scenario.Left, error) {
	left, err := markedProcesses(roomVariable + "=" + r.dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range []struct{ path, kind, suffix string }{
		{filepath.Join(r.home(), ".murmur", "running"), "record", ".json"},
		{r.temp(), "directory", ""},
	} {
		entries, err := os.ReadDir(folder.path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("cannot look into %s: %w", folder.path, err)
		}
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), folder.suffix) {
				left = append(left, scenario.Left{Kind: folder.kind, Name: filepath.Join(folder.path, entry.Name())})
			}
		}
	}
	return left, nil
}

// End kills the processes and removes the files.
func (r *TestRoom) End(ctx context.Context, left []scenario.Left) []scenario.Left {
	done := slices.Clone(left)
	for i, l := range done {
		switch l.Kind {
		case "process":
			done[i].Done = killMarked(ctx, l.Name, roomVariable+"="+r.dir)
		case "port":
			done[i].Done = "closed with its process"
		default:
			done[i].Done = "removed"
			if err := os.RemoveAll(l.Name); err != nil {
				done[i].Done = err.Error()
			}
		}
		// A path below the room says more without it.
		if path, err := filepath.Rel(r.dir, l.Name); err == nil && filepath.IsLocal(path) && filepath.IsAbs(l.Name) {
			done[i].Name = path
		}
	}
	return done
}

// Close removes the room.
func (r *TestRoom) Close(ctx context.Context) error {
	left, err := r.Look(ctx)
	if err == nil {
		r.End(ctx, slices.DeleteFunc(left, func(l scenario.Left) bool { return l.Kind != "process" }))
	}
	r.mu.Lock()
	pipes := r.output
	r.mu.Unlock()
	for _, pipe := range pipes {
		pipe.close()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// funnel is a file that members can have as their output, and whose text goes to a writer.
type funnel struct {
	in, out *os.File
	done    chan struct{}
}

func newFunnel(to io.Writer) (*funnel, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &funnel{in: in, out: out, done: make(chan struct{})}
	go func() { // ends with close
		defer close(f.done)
		_, _ = io.Copy(to, out)
	}()
	return f, nil
}

// close ends the copying, also when somebody else still holds the file.
func (f *funnel) close() {
	f.in.Close()
	f.out.Close()
	<-f.done
}
