package engine

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// How many frames of each Lua thread a traceback shows from its inner and its outer end.
const (
	innerFrames = 10
	outerFrames = 6
)

// traceHead begins every traceback.
const traceHead = "stack traceback:\n"

// trace is a script's stack as it was when an error was raised.
type trace struct{ frames []string }

func (t *trace) text() string {
	if t == nil || len(t.frames) == 0 {
		return ""
	}
	return traceHead + "\t" + strings.Join(t.frames, "\n\t")
}

// place returns the innermost position in a script.
func (t *trace) place() string {
	if t == nil {
		return ""
	}
	for _, frame := range t.frames {
		if place, _, ok := strings.Cut(frame, ": in "); ok && place != "[Go]" {
			return place
		}
	}
	return ""
}

// captureTrace walks a thread and the threads that run it. It costs a constant number of walks over the stack,
// however deep it is.
func captureTrace(L *lua.LState) *trace {
	t := &trace{}
	for th := threadOf(L); th != nil; th = th.below {
		t.add(th.L)
	}
	return t
}

func (t *trace) add(L *lua.LState) {
	depth := stackDepth(L)
	for level := 0; level < depth; level++ {
		if skipped := depth - outerFrames - level; level == innerFrames && skipped > 1 {
			t.frames = append(t.frames, fmt.Sprintf("... (%d more)", skipped))
			level += skipped
		}
		if frame := describeFrame(L, level); frame != "" {
			t.frames = append(t.frames, frame)
		}
	}
}

// stackDepth counts the frames of a thread in O(n log n).
func stackDepth(L *lua.LState) int {
	low, high := 0, 1
	for {
		if _, ok := L.GetStack(high); !ok {
			break
		}
		low, high = high, high*2
	}
	for low+1 < high {
		if middle := (low + high) / 2; hasFrame(L, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 && !hasFrame(L, 0) {
		return 0
	}
	return low + 1
}

func hasFrame(L *lua.LState, level int) bool {
	_, ok := L.GetStack(level)
	return ok
}

func describeFrame(L *lua.LState, level int) string {
	dbg, ok := L.GetStack(level)
	if !ok {
		return ""
	}
	fn, err := L.GetInfo("nSlf", dbg, lua.LNil)
	if err != nil {
		return ""
	}
	f, _ := fn.(*lua.LFunction)
	if f == nil || f == threadOf(L).host.trampoline || !f.IsG && isLibrary(dbg.Source) {
		return ""
	}
	name := "function '" + dbg.Name + "'"
	switch {
	case f.IsG:
		if dbg.Name == "?" || strings.HasPrefix(dbg.Name, "(") {
			return ""
		}
		return "[Go]: in " + name
	case f.Proto.LineDefined == 0:
		name = "main chunk"
	case dbg.Name == "?" || strings.HasPrefix(dbg.Name, "<") || strings.HasPrefix(dbg.Name, "("):
		name = fmt.Sprintf("function <%s:%d>", dbg.Source, dbg.LineDefined)
	}
	return fmt.Sprintf("%s:%d: in %s", dbg.Source, dbg.CurrentLine, name)
}

// scriptPlace returns "file:line" of the innermost Lua function that runs, looking through Go functions, the threads
// below and the library: its caller is who should know. Empty when nothing but the library runs.
func scriptPlace(L *lua.LState) string {
	for th := threadOf(L); th != nil; th = th.below {
		for level := 0; ; level++ {
			dbg, ok := th.L.GetStack(level)
			if !ok {
				break
			}
			fn, err := th.L.GetInfo("Slf", dbg, lua.LNil)
			f, _ := fn.(*lua.LFunction)
			if err == nil && f != nil && !f.IsG && !isLibrary(dbg.Source) {
				return fmt.Sprintf("%s:%d", dbg.Source, dbg.CurrentLine)
			}
		}
	}
	return ""
}

// isLibrary tells the chunks of a [Library] from files. Their lines are nobody's concern but murlua's own: neither
// places nor tracebacks show them.
func isLibrary(source string) bool {
	return strings.HasPrefix(source, "mur.") && !strings.HasSuffix(source, ".lua")
}

var placePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^\n:]+:\d+): `) })

// splitPlace separates "file:line: message".
func splitPlace(message string) (place, rest string) {
	if m := placePattern().FindStringSubmatch(message); m != nil {
		return m[1], message[len(m[0]):]
	}
	return "", message
}

// raiseText raises a string with the position of the innermost Lua function in front, as error does.
func raiseText(L *lua.LState, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if place := scriptPlace(L); place != "" {
		message = place + ": " + message
	}
	L.Error(lua.LString(message), 0)
}
