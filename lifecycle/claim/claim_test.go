//go:build unix

package claim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// role makes the test binary behave as a launcher that takes a name.
const role = "MURLUA_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		goleak.VerifyTestMain(m)
	case "launcher":
		launcher(os.Getenv("HOME"))
	case "child":
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// launcher does what the lines on standard input say, and says what came of it.
func launcher(dir string) {
	h, _ := home.Resolve(dir)
	var named *Claim
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, name, _ := strings.Cut(in.Text(), " "); word {
		case "take":
			formation := id.NewFormation()
			var err error
			if named, err = Take(context.Background(), h, name, formation); err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println("took", formation)
		case "release":
			named.Release()
			fmt.Println("released")
		case "start":
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), role+"=child")
			child.Stdin = os.NewFile(3, "inherited")
			fmt.Println("started", child.Start())
		}
	}
}

// process of a launcher.
type other struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newOther(t *testing.T, h home.Home, files ...*os.File) *other {
	t.Helper()
	return startOther(t, exec.Command(os.Args[0]), h, files...)
}

func startOther(t *testing.T, cmd *exec.Cmd, h home.Home, files ...*os.File) *other {
	t.Helper()
	cmd.Env = append(os.Environ(), role+"=launcher", "HOME="+filepath.Dir(h.Path()), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, files
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := &other{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(o.kill)
	return o
}

func (o *other) kill() {
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

func (o *other) say(line string) {
	o.t.Helper()
	if _, err := io.WriteString(o.in, line+"\n"); err != nil {
		o.t.Fatal(err)
	}
}

func (o *other) hear() string {
	o.t.Helper()
	line, err := o.out.ReadString('\n')
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func testHome(t *testing.T) home.Home {
	t.Helper()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func take(t *testing.T, h home.Home, name string) (*Claim, id.Formation) {
	t.Helper()
	formation := id.NewFormation()
	named, err := Take(t.Context(), h, name, formation)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(named.Release)
	return named, formation
}

func refused(t *testing.T, h home.Home, name string) *TakenError {
	t.Helper()
	named, err := Take(t.Context(), h, name, id.NewFormation())
	named.Release()
	taken, ok := errors.AsType[*TakenError](err)
	if !ok {
		t.Fatalf("taking %s gives %v", name, err)
	}
	return taken
}

func TestANameHasOneHolder(t *testing.T) {
	h := testHome(t)
	before := time.Now().UTC().Truncate(time.Second)
	named, formation := take(t, h, "dev")
	path := filepath.Join(h.Names(), "dev")
	for path, want := range map[string]os.FileMode{h.Names(): 0o700 | os.ModeDir, path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	form := fmt.Sprintf(`^\{"name":"dev","formation_id":"%s","pid":%d,"process_start":"%s","started_at":"[-0-9]+T[:0-9]+Z","process_origin":\{.*\}\}`+"\n$",
		formation, own.PID, own.Start)
	if !regexp.MustCompile(form).Match(text) {
		t.Errorf("the file says %s, want %s", text, form)
	}

	taken := refused(t, h, "dev")
	want := fmt.Sprintf(`cannot launch formation "dev": it is running already, as %s in process %d, since %s`,
		formation, own.PID, taken.Holder.StartedAt.Format(time.RFC3339))
	if taken.Error() != want || taken.Holder.StartedAt.Before(before) || time.Since(taken.Holder.StartedAt) > time.Minute {
		t.Errorf("refused with %q, want %q", taken, want)
	}
	if !strings.HasPrefix(taken.Hint(), "this process launched it") {
		t.Errorf("hint %q", taken.Hint())
	}
	take(t, h, "dev2")
	take(t, testHome(t), "dev")

	named.Release()
	named.Release()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
	take(t, h, "dev")
}

func TestWhatIsNoNameIsRefused(t *testing.T) {
	h := testHome(t)
	for _, name := range []string{"", "..", "a/b", "/etc/passwd", "Dev", "dev.json", "1st", strings.Repeat("a", 33)} {
		if _, err := Take(t.Context(), h, name, id.NewFormation()); err == nil || !strings.Contains(err.Error(), "lower-case letter") {
			t.Errorf("%q: %v", name, err)
		}
		if _, found := Find(h, name); found {
			t.Errorf("%q is found", name)
		}
	}
	if _, err := os.Lstat(h.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

func TestAnotherProcessIsToldWhoHasTheName(t *testing.T) {
	h := testHome(t)
	o := newOther(t, h)
	o.say("take dev")
	formation := strings.TrimPrefix(o.hear(), "took ")
	taken := refused(t, h, "dev")
	form := fmt.Sprintf(`^cannot launch formation "dev": it is running already, as %s in process %d, since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`,
		formation, o.cmd.Process.Pid)
	if !regexp.MustCompile(form).MatchString(taken.Error()) {
		t.Errorf("refused with %q", taken)
	}
	if want := "`murlua stop " + formation + "` stops it"; taken.Hint() != want {
		t.Errorf("hint %q, want %q", taken.Hint(), want)
	}
	holders, err := Holders(h)
	if err != nil || len(holders) != 1 {
		t.Fatalf("holders %v, %v", holders, err)
	}
	for _, find := range []func() (Holder, bool){
		func() (Holder, bool) { return Find(h, "dev") }, func() (Holder, bool) { return Of(h, id.Formation(formation)) },
	} {
		if found, ok := find(); !ok || found != holders[0] || found.Launcher().PID != o.cmd.Process.Pid {
			t.Errorf("found %v, %v", found, ok)
		}
	}
	o.say("release")
	if text := o.hear(); text != "released" {
		t.Fatal(text)
	}
	if holders, err := Holders(h); err != nil || len(holders) > 0 {
		t.Errorf("holders %v, %v", holders, err)
	}
}

// The kernel lets go of the lock of a process that is killed, at whatever moment; what it left is in nobody's way.
func TestAKilledHolderIsNoObstacle(t *testing.T) {
	h := testHome(t)
	left := 0
	for range 30 {
		o := newOther(t, h)
		o.say("take dev")
		if rand.IntN(2) == 0 {
			o.hear()
		}
		time.Sleep(rand.N(5 * time.Millisecond))
		o.kill()
		if _, err := os.Lstat(filepath.Join(h.Names(), "dev")); err == nil {
			left++
		}
		named, err := Take(t.Context(), h, "dev", id.NewFormation())
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		named.Release()
	}
	if left == 0 {
		t.Error("no killed process left a file: nothing was shown")
	}
}

// What a holder started does not keep its name, however long it outlives the holder.
func TestProcessesOfTheHolderDoNotInheritTheName(t *testing.T) {
	h := testHome(t)
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close() // the child ends
	o := newOther(t, h, ours)
	ours.Close()
	o.say("take dev")
	o.hear()
	o.say("start")
	if text := o.hear(); text != "started <nil>" {
		t.Fatal(text)
	}
	o.kill()
	if _, err := theirs.Write([]byte("x")); err != nil { // without a reader this fails
		t.Errorf("the child has ended: %v", err)
	}
	take(t, h, "dev")
}

// Of those that launch at the same moment one wins, and the others are told who.
func TestOneOfManyTakesTheName(t *testing.T) {
	h := testHome(t)
	others := make([]*other, 8)
	for i := range others {
		others[i] = newOther(t, h)
	}
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	for round := range rounds {
		for _, o := range others {
			o.say("take dev")
		}
		var winner *other
		var formation string
		answers := make([]string, len(others))
		for i, o := range others {
			answers[i] = o.hear()
			if won, ok := strings.CutPrefix(answers[i], "took "); ok {
				if winner != nil {
					t.Fatalf("round %d: two took the name", round)
				}
				winner, formation = o, won
			}
		}
		if winner == nil {
			t.Fatalf("round %d: nobody took the name: %q", round, answers)
		}
		for i, o := range others {
			if want := fmt.Sprintf("as %s in process %d, since", formation, winner.cmd.Process.Pid); o != winner && !strings.Contains(answers[i], want) {
				t.Fatalf("round %d: refused with %q, want %q", round, answers[i], want)
			}
		}
		if round%4 == 3 { // what a killed winner leaves says that it has the name
			winner.kill()
			for i := range others {
				if others[i] == winner {
					others[i] = newOther(t, h)
				}
			}
			continue
		}
		winner.say("release")
		winner.hear()
	}
}

func TestAHomeThatCannotBeUsed(t *testing.T) {
	h := testHome(t)
	if err := os.WriteFile(h.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`cannot take the name "dev": %s: not a directory`, h.Path())
	if _, err := Take(t.Context(), h, "dev", id.NewFormation()); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := Holders(h); err == nil {
		t.Error("the names were listed")
	}
}

func TestAHomeThatCannotBeWrittenTo(t *testing.T) {
	h := testHome(t)
	cmd := exec.Command(os.Args[0])
	if os.Geteuid() == 0 { // who may write anywhere
		if runtime.GOOS != "linux" {
			t.Skip("the test binary is where another user cannot start it")
		}
		cmd = exec.Command("/proc/self/exe")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Dir = "/"
	}
	if err := os.Chmod(filepath.Dir(h.Path()), 0o555); err != nil {
		t.Fatal(err)
	}
	o := startOther(t, cmd, h)
	o.say("take dev")
	want := fmt.Sprintf(`cannot take the name "dev": %s: permission denied`, h.Path())
	if got := o.hear(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
