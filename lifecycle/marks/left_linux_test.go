package marks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"murlua/platform/contain"
	"murlua/platform/process"
)

// sleeper is a process that carries the mark, or none for 0.
type sleeper struct {
	pid   int
	id    process.Identity
	ended chan struct{}
	kill  func()
}

func sleep(t *testing.T, mark contain.Mark) sleeper {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	if mark != 0 {
		if err := mark.Set(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := cmd.Start()
	_ = unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	if err != nil {
		t.Fatal(err)
	}
	s := sleeper{pid: cmd.Process.Pid, ended: make(chan struct{})}
	if s.id, err = process.Identify(s.pid); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait()
	}()
	s.kill = func() {
		_ = cmd.Process.Kill()
		<-s.ended
	}
	t.Cleanup(s.kill)
	return s
}

// ended is the identity of a process that has ended.
func ended(t *testing.T) process.Identity {
	t.Helper()
	s := sleep(t, 0)
	s.kill()
	return s.id
}

// put writes a note as its host would have.
func put(t *testing.T, folder string, note Note) string {
	t.Helper()
	text, err := note.encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, fileName(note.Keeper))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "marks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestWhatAKilledHostAndKeeperLeftIsEnded(t *testing.T) {
	dir, keeper := folder(t), contain.NewMarks()
	left, stranger := sleep(t, keeper.Of(2)), sleep(t, contain.NewMarks().Of(2))
	path := put(t, dir, Note{Keeper: keeper, Host: ended(t), Process: ended(t)})
	found, err := Find(dir)
	if err != nil || len(found) != 1 || found[0].State.Kind != process.Gone || len(found[0].Processes) != 1 || found[0].Processes[0].PID != left.pid {
		t.Fatalf("found %+v, %v", found, err)
	}
	if !there(path) || contain.Over(left.pid) {
		t.Fatal("finding changed something")
	}
	swept, err := EndAll(dir, 0)
	if err != nil || len(swept.Killed) != 1 || swept.Killed[0].PID != left.pid {
		t.Errorf("%+v, %v", swept, err)
	}
	<-left.ended
	if there(path) || contain.Over(stranger.pid) {
		t.Error("the note is there, or a stranger has ended")
	}
	if swept, err := found[0].End(0); err != nil || len(swept.Killed) > 0 {
		t.Errorf("the second time: %+v, %v", swept, err)
	}
}

// Only a host and a keeper that are proved to have ended have left something.
func TestWhatMayBeInUseIsLeftAlone(t *testing.T) {
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	gone := ended(t)
	changed := func(id process.Identity, change func(*process.Origin)) process.Identity {
		change(&id.Origin)
		return id
	}
	for name, note := range map[string]Note{
		"the host runs":                       {Host: own, Process: gone},
		"the keeper runs":                     {Host: gone, Process: sleep(t, 0).id},
		"another pid namespace":               {Host: changed(gone, func(o *process.Origin) { o.PIDNamespace = "pid:[1]" }), Process: gone},
		"the keeper in another pid namespace": {Host: gone, Process: changed(gone, func(o *process.Origin) { o.PIDNamespace = "pid:[1]" })},
		"another machine":                     {Host: changed(gone, func(o *process.Origin) { o.Boot, o.Host = "other", "other" }), Process: gone},
		"another boot id, read now":           {Host: changed(gone, func(o *process.Origin) { o.Boot = "other" }), Process: gone},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			note.Keeper = contain.NewMarks()
			left := sleep(t, note.Keeper.Of(1))
			path := put(t, dir, note)
			found, err := Find(dir)
			if err != nil || len(found) != 1 || found[0].State.Kind == process.Gone || len(found[0].Processes) > 0 {
				t.Fatalf("found %+v, %v", found, err)
			}
			if _, err := found[0].End(0); err == nil || !strings.Contains(err.Error(), found[0].State.Reason) {
				t.Errorf("ending it: %v", err)
			}
			if swept, err := EndAll(dir, 0); err != nil || len(swept.Killed) > 0 {
				t.Errorf("%+v, %v", swept, err)
			}
			if contain.Over(left.pid) || !there(path) {
				t.Error("the process has ended, or the note is gone")
			}
		})
	}
}

// Of an earlier boot nothing lives: who carries such a mark now has it from somebody else.
func TestOfAnEarlierBootTheNoteAloneIsRemoved(t *testing.T) {
	dir, keeper, gone := folder(t), contain.NewMarks(), ended(t)
	if gone.Origin.Machine == "" {
		t.Skip("this machine has no id, so an earlier boot cannot be told from another machine")
	}
	gone.Origin.Boot, gone.Origin.ReadAt = "earlier", 1
	someone := sleep(t, keeper.Of(1))
	path := put(t, dir, Note{Keeper: keeper, Host: gone, Process: gone})
	if swept, err := EndAll(dir, 0); err != nil || len(swept.Killed) > 0 || contain.Over(someone.pid) || there(path) {
		t.Errorf("%+v, %v", swept, err)
	}
}

func TestNobodyEndsWhatItIsPartOf(t *testing.T) {
	dir, keeper := folder(t), contain.NewMarks()
	other := sleep(t, keeper.Of(1))
	path := put(t, dir, Note{Keeper: keeper, Host: ended(t), Process: ended(t)})
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_LOCKS, &before); err != nil {
		t.Fatal(err)
	}
	if err := keeper.Of(1).Set(); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_LOCKS, &before)
	if swept, err := EndAll(dir, 0); err != nil || len(swept.Killed) > 0 {
		t.Errorf("%+v, %v", swept, err)
	}
	if _, err := (Left{Path: path}).End(0); err == nil || !strings.Contains(err.Error(), "this process is part of it") {
		t.Errorf("%v", err)
	}
	if contain.Over(other.pid) || !there(path) {
		t.Error("the process has ended, or the note is gone")
	}
}

func TestWriteNotesThisProcess(t *testing.T) {
	dir, keeper := filepath.Join(t.TempDir(), "home", "marks"), contain.NewMarks()
	child := sleep(t, 0)
	path, err := Write(dir, keeper, child.pid)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	found, err := Find(dir)
	if err != nil || len(found) != 1 || found[0].State.Kind != process.Alive || found[0].Note.Host.PID != os.Getpid() || found[0].Note.Process.PID != child.pid {
		t.Errorf("found %+v, %v", found, err)
	}
	child.kill()
	if _, err := Write(dir, keeper, child.pid); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("of a keeper that has ended: %v", err)
	}
}

// Whatever lies in the folder is never waited for and never makes anything end; what cannot be a note that a host wrote
// is removed when it is a plain file with the name of one.
func TestGarbageEndsNothing(t *testing.T) {
	dir, keeper := folder(t), contain.NewMarks()
	left := sleep(t, keeper.Of(1))
	good, err := Note{Keeper: keeper, Host: ended(t), Process: ended(t)}.encode()
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	name := func() string { return fileName(contain.NewMarks()) }
	elsewhere := filepath.Join(t.TempDir(), "note")
	removed := map[string]string{
		name(): "", name(): "{", name(): `{"mark":1}`, name(): string(good), // of another name
		name(): string(good) + strings.Repeat(" ", 2*maxNote),
	}
	stays := map[string]string{"x.json": string(good), name() + ".tmp": string(good), "." + fileName(keeper) + ".1.tmp": string(good)}
	for _, files := range []map[string]string{removed, stays} {
		for name, text := range files {
			if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	link, pipe, folder := fileName(keeper), name(), name()
	for _, err := range []error{
		os.WriteFile(elsewhere, good, 0o600), os.Symlink(elsewhere, in(link)), unix.Mkfifo(in(pipe), 0o600), os.Mkdir(in(folder), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	old := "." + fileName(keeper) + ".2.tmp" // somebody was killed while writing it
	long := time.Now().Add(-2 * writtenWithin)
	if err := errors.Join(os.WriteFile(in(old), good, 0o600), os.Chtimes(in(old), long, long)); err != nil {
		t.Fatal(err)
	}
	removed[old] = ""
	found, err := Find(dir)
	if err != nil || len(found) != len(removed) {
		t.Errorf("found %d, %v", len(found), err)
	}
	if swept, err := EndAll(dir, 0); err != nil || len(swept.Killed) > 0 || contain.Over(left.pid) {
		t.Errorf("%+v, %v", swept, err)
	}
	for name := range removed {
		if there(in(name)) {
			t.Errorf("%s is there", name)
		}
	}
	stays[link], stays[pipe], stays[folder] = "", "", ""
	for name := range stays {
		if !there(in(name)) {
			t.Errorf("%s is gone", name)
		}
	}
}

// A folder that was open to others for a while may hold what they put there.
func TestANoteThatSomebodyElseCouldWriteIsNotUsed(t *testing.T) {
	dir, keeper := folder(t), contain.NewMarks()
	left := sleep(t, keeper.Of(1))
	path := put(t, dir, Note{Keeper: keeper, Host: ended(t), Process: ended(t)})
	spoil := []func() error{func() error { return os.Chmod(path, 0o622) }}
	if os.Geteuid() == 0 {
		spoil = append(spoil, func() error { return errors.Join(os.Chmod(path, 0o600), os.Chown(path, 65534, 65534)) })
	}
	for _, spoil := range spoil {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if swept, err := EndAll(dir, 0); err != nil || len(swept.Killed) > 0 || contain.Over(left.pid) || !there(path) {
			t.Errorf("%+v, %v", swept, err)
		}
	}
}

func TestAFolderThatIsNoneIsNotUsed(t *testing.T) {
	gone := Note{Keeper: contain.NewMarks(), Host: ended(t), Process: ended(t)}
	left := sleep(t, gone.Keeper.Of(1))
	if found, err := Find(filepath.Join(t.TempDir(), "marks")); err != nil || found != nil {
		t.Errorf("one that is missing: %v, %v", found, err)
	}
	open := folder(t)
	path := put(t, open, gone)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	pipe, file := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "file")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{open, pipe, file} {
		if found, err := Find(dir); err == nil {
			t.Errorf("%s: found %v", dir, found)
		}
		if _, err := EndAll(dir, 0); err == nil {
			t.Errorf("%s: it was used", dir)
		}
	}
	if _, err := (Left{Path: path}).End(0); err == nil || contain.Over(left.pid) {
		t.Errorf("%v", err)
	}
	if _, err := Write(file, contain.NewMarks(), os.Getpid()); err == nil {
		t.Error("a note was written")
	}
}

func BenchmarkWrite(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "marks")
	for b.Loop() {
		path, err := Write(dir, contain.NewMarks(), os.Getpid())
		if err != nil {
			b.Fatal(err)
		}
		_ = os.Remove(path)
	}
}

func BenchmarkEndAllOfNothing(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "marks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := EndAll(dir, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEndAllOfOneGone(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "marks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	own, err := process.Current()
	if err != nil {
		b.Fatal(err)
	}
	own.Start, own.Origin.Inode = "1", ""
	for b.Loop() {
		note := Note{Keeper: contain.NewMarks(), Host: own, Process: own}
		text, _ := note.encode()
		if err := os.WriteFile(filepath.Join(dir, fileName(note.Keeper)), text, 0o600); err != nil {
			b.Fatal(err)
		}
		if _, err := EndAll(dir, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// Several starts at the same moment end the same things, and none of them minds.
func TestManyMayEndTheSame(t *testing.T) {
	dir := folder(t)
	var left []sleeper
	for range 4 {
		keeper := contain.NewMarks()
		left = append(left, sleep(t, keeper.Of(1)), sleep(t, keeper.Of(2)))
		put(t, dir, Note{Keeper: keeper, Host: ended(t), Process: ended(t)})
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if swept, err := EndAll(dir, 0); err != nil || len(swept.Survivors) > 0 {
				t.Errorf("%+v, %v", swept, err)
			}
		})
	}
	all.Wait()
	for _, s := range left {
		<-s.ended
	}
	if notes, _ := os.ReadDir(dir); len(notes) > 0 {
		t.Errorf("noted: %v", notes)
	}
}
