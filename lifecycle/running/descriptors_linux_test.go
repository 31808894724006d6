package running

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/home"
	"murlua/platform/process"
)

func init() {
	// watches, lists and signals with hardly a descriptor left, and says what came of it.
	roles["short of descriptors"] = func() {
		h, err := home.Resolve(os.Getenv(homeVariable))
		if err != nil {
			panic(err)
		}
		// What is read once is read before.
		records, err := List(h)
		if err != nil {
			panic(err)
		}
		_ = ProcessStates(records)
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			panic(err)
		}
		limit := uint64(len(entries) + 20)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
		w, err := Watch(h)
		if err != nil {
			panic(err)
		}
		kinds := map[string]int{}
		for event := range w.Events() {
			kinds[event.Kind.String()+" "+event.State.Kind.String()]++
		}
		fmt.Println("alive", kinds["appeared alive"] > 0, "caught up", kinds["caught up unverified"], w.Err())
		w.Close()

		// Not one is left.
		var held []int
		for {
			fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				break
			}
			held = append(held, fd)
		}
		_, err = List(h)
		outcome := Signal(records[0], syscall.SIGKILL)
		fmt.Println(len(held) > 0, err)
		fmt.Println(outcome.Kind, outcome.Reason)
		fmt.Println(Prune(h, records[0]))
	}
}

// Without descriptors nothing is signalled, nothing pruned, and a watch ends and says why.
func TestWithoutDescriptors(t *testing.T) {
	h, child := newHome(t), start(t, "wait")
	for range 60 {
		write(t, h, ours(child.identity(t)))
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=short of descriptors", homeVariable+"="+filepath.Dir(h.Path()))
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	reason := fmt.Sprintf("pid %d could not be examined: too many open files; close some, or raise the limit (ulimit -n), and try again", child.pid())
	for i, want := range []string{"alive true caught up 0 ", "true " + h.Running() + ": too many open files", "refused " + reason, "cannot prune the record"} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of %q does not begin with %q", i, lines, want)
		}
	}
	if !strings.Contains(lines[0], "too many open files") || !strings.Contains(lines[len(lines)-1], ErrNotGone.Error()+": "+reason) {
		t.Errorf("said %q", lines)
	}
	if left := names(t, h.Running()); len(left) != 60 {
		t.Errorf("%d records are left", len(left))
	}
	if state := process.Inspect(child.identity(t)); state.Kind != process.Alive {
		t.Errorf("the process was signalled: %+v", state)
	}
}
