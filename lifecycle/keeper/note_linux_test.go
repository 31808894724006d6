package keeper_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// A keeper whose host was killed ends what that left, in its own time: whoever comes next leaves that to it.
func TestTheNextStartLeavesAKeeperItsWork(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	marks := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = []string{promptly, marksVar + "=" + marks, roleVar + "=host:tracked setsid"}
	cmd.Stderr = os.Stderr
	in, _ := cmd.StdinPipe()
	defer in.Close()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer clearAway(t)
	line, _ := bufio.NewReader(out).ReadString('\n')
	var keeperPID int
	if _, err := fmt.Sscanf(line, "up %d", &keeperPID); err != nil {
		t.Fatalf("the host did not come up: %q", line)
	}
	_ = unix.Kill(keeperPID, unix.SIGSTOP) // it takes its time
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	before := contain.Descendants([]int{keeperPID})
	if len(before) < 3 {
		t.Fatalf("the keeper has %v", before)
	}
	k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}, Marks: marks})
	command := role("plain")
	command.Class = contain.Tracked
	start(t, k, command)
	if err := k.Noteless(); err != nil {
		t.Error(err)
	}
	if err := k.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if after := contain.Descendants([]int{keeperPID}); len(after) != len(before) {
		t.Errorf("of %v are left %v", before, after)
	}
	_ = unix.Kill(keeperPID, unix.SIGCONT)
	if left := settled(0, false, 0); len(left) > 0 {
		t.Errorf("%v remain", left)
	}
	unnoted(t, marks)
}

// The note is there while something is tracked, and only then; without a folder everything else works.
func TestANoteIsThereWhileSomethingIsTracked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), ".murmur", "marks")
	for _, folder := range []string{good, file, filepath.Join(file, "marks"), ""} {
		k := keeper.New(keeper.Options{Stderr: os.Stderr, Env: []string{promptly}, Marks: folder})
		for _, class := range []contain.Class{contain.Group, contain.Tracked} {
			command := role("plain")
			command.Class = class
			kept := start(t, k, command)
			notes, _ := os.ReadDir(folder)
			want := 0
			if class == contain.Tracked && folder == good {
				want = 1
			}
			if len(notes) != want {
				t.Errorf("%s in %q: noted %v", class, folder, notes)
			}
			if noteless := k.Noteless() != nil; noteless != (class == contain.Tracked && folder != good) {
				t.Errorf("%s in %q: %v", class, folder, k.Noteless())
			}
			kept.Kill()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := k.Close(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
	unnoted(t, good)
}

// Where the class is the best there is, the note is made ahead; however soon the end comes, it takes the note along.
func TestANoteThatIsMadeAheadGoesWithItsKeeper(t *testing.T) {
	marks := filepath.Join(t.TempDir(), "marks")
	for i := range 20 {
		k := keeper.New(keeper.Options{
			Stderr: os.Stderr, Env: []string{promptly}, Marks: marks, Report: contain.Report{{Class: contain.Tracked, Available: true}},
		})
		if err := k.Warm(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
				if notes, _ := filepath.Glob(filepath.Join(marks, "*.json")); len(notes) == 1 {
					break
				}
				if time.Now().After(end) {
					t.Fatal("nothing is noted")
				}
			}
		}
		if err := k.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if notes, _ := os.ReadDir(marks); len(notes) > 0 {
			t.Errorf("round %d: noted %v", i, notes)
		}
	}
}
