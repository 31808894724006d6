package output

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// following is a Follow at work.
type following struct {
	t    *testing.T
	end  context.CancelFunc
	done chan error

	mu  sync.Mutex
	got map[string]*bytes.Buffer
}

func follow(t *testing.T, dir string, options FollowOptions) *following {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &following{t: t, end: cancel, done: make(chan error, 1), got: map[string]*bytes.Buffer{}}
	go func() {
		f.done <- Follow(ctx, dir, options, func(name string, b Block) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.got[name] == nil {
				f.got[name] = &bytes.Buffer{}
			}
			f.got[name].Write(b)
		})
	}()
	t.Cleanup(cancel)
	return f
}

func (f *following) text(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.got[name] == nil {
		return ""
	}
	return f.got[name].String()
}

func (f *following) waitFor(name, text string) {
	f.t.Helper()
	until(f.t, func() bool { return strings.Contains(f.text(name), text) })
}

// stop ends the following and says what each has written.
func (f *following) stop() map[string]string {
	f.t.Helper()
	f.end()
	if err := <-f.done; err != nil {
		f.t.Error(err)
	}
	all := map[string]string{}
	for name, got := range f.got {
		all[name] = got.String()
	}
	return all
}

func create(t *testing.T, path string, options FileOptions) *File {
	t.Helper()
	f, err := Create(path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func lines(from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&text, "line %06d\n", i)
	}
	return text.String()
}

func TestFollowGivesTheTailAndThenWhatComesAcrossRotations(t *testing.T) {
	for tail, first := range map[int]int{5: 495, 0: 500, -1: 0} {
		t.Run(fmt.Sprint("tail ", tail), func(t *testing.T) {
			dir := t.TempDir()
			f := create(t, filepath.Join(dir, "member.log"), FileOptions{Limit: 2000, Old: 50})
			f.Write("out", Block(lines(0, 500)))
			following := follow(t, dir, FollowOptions{Tail: tail, Below: dir})
			other := create(t, filepath.Join(dir, "other.log"), FileOptions{})
			until(t, func() bool { other.Write("out", Block("x\n")); return following.text("other") != "" }) // it has begun
			for i := 500; i < 3000; i++ {
				f.Write("out", Block(lines(i, i+1)))
			}
			f.Write("out", Block("part of a line"))
			following.waitFor("member", "part of a line")
			if got, want := following.stop()["member"], lines(first, 3000)+"part of a line"; got != want {
				t.Errorf("got %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

// What comes later is given whole, whatever the tail: nobody has seen any of it.
func TestFollowFindsFilesThatComeLater(t *testing.T) {
	dir := t.TempDir()
	create(t, filepath.Join(dir, "early.log"), FileOptions{}).Write("out", Block("one\ntwo\n"))
	following := follow(t, dir, FollowOptions{Tail: 1, Below: dir})
	following.waitFor("early", "two\n")
	const others = 50
	for i := range others {
		name := fmt.Sprint("late", i)
		create(t, filepath.Join(dir, name+".log"), FileOptions{}).Write("out", Block("first\nsecond\nthird\n"))
	}
	again, err := Create(filepath.Join(dir, "early.log"), FileOptions{}) // its member is started again
	if err != nil {
		t.Fatal(err)
	}
	again.Write("out", Block("three\n"))
	again.Close()
	following.waitFor("early", "three\n")
	following.waitFor(fmt.Sprint("late", others-1), "third\n")
	got := following.stop()
	if got["early"] != "two\nthree\n" {
		t.Errorf("early: %q", got["early"])
	}
	for i := range others {
		if name := fmt.Sprint("late", i); got[name] != "first\nsecond\nthird\n" {
			t.Errorf("%s: %q", name, got[name])
		}
	}
}

func TestFollowWaitsForTheFolder(t *testing.T) {
	below := t.TempDir()
	folder := filepath.Join(below, "formation", "output")
	path := filepath.Join(folder, "member.log")
	for _, step := range []struct {
		name string
		make func() error
	}{
		{"nothing", func() error { return nil }},
		{"it has come", func() error { return os.MkdirAll(folder, 0o700) }},
		{"another file has come", func() error { return os.WriteFile(filepath.Join(folder, "other.log"), nil, 0o600) }},
		{"it has gone", func() error { return os.RemoveAll(filepath.Join(below, "formation")) }},
	} {
		if err := step.make(); err != nil {
			t.Fatal(err)
		}
		t.Run("after "+step.name, func(t *testing.T) {
			following := follow(t, folder, FollowOptions{Tail: 0, Below: below, Only: func(name string) bool { return name != "other" }})
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			create(t, filepath.Join(folder, "other.log"), FileOptions{}).Write("out", Block("another line\n"))
			f, err := Create(path, FileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			// With a tail of 0 what is written before the following has begun is not given.
			until(t, func() bool { f.Write("out", Block("a line\n")); return following.text("member") != "" })
			f.Close()
			if got := following.stop(); len(got) != 1 {
				t.Errorf("got %q", got)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What is removed while it is followed has been read, and what comes in its place is, too.
func TestFollowOutlivesTheFolder(t *testing.T) {
	below := t.TempDir()
	dir := filepath.Join(below, "output")
	for round := range 20 {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		f := create(t, filepath.Join(dir, "member.log"), FileOptions{})
		following := follow(t, dir, FollowOptions{Tail: -1, Below: below})
		f.Write("out", Block("one\n"))
		following.waitFor("member", "one\n")
		f.Write("out", Block("two\n"))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		f.Write("out", Block("three\n"))
		if round%2 == 0 {
			following.waitFor("member", "two\n")
		}
		if got := following.stop()["member"]; got != "one\ntwo\nthree\n" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestFollowReadsWhatWasThereAtTheEnd(t *testing.T) {
	for range 50 {
		dir := t.TempDir()
		f := create(t, filepath.Join(dir, "member.log"), FileOptions{})
		f.Write("out", Block("one\n"))
		following := follow(t, dir, FollowOptions{Tail: -1, Below: dir})
		following.waitFor("member", "one\n")
		f.Write("out", Block("two\n"))
		create(t, filepath.Join(dir, "last.log"), FileOptions{}).Write("out", Block("last words\n"))
		if got := following.stop(); got["member"] != "one\ntwo\n" || got["last"] != "last words\n" {
			t.Fatalf("got %q", got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Follow(ctx, filepath.Join(t.TempDir(), "none"), FollowOptions{Below: t.TempDir()}, nil); err != nil {
		t.Errorf("an end before the beginning gave %v", err)
	}
}

func TestReadGivesWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f := create(t, path, FileOptions{Limit: 30, Old: 5})
	for i := range 8 {
		f.Write("out", Block(fmt.Sprintf("line %d\n", i)))
	}
	for tail, want := range map[int]string{
		0: "", 1: "line 7\n", 3: "line 5\nline 6\nline 7\n",
		-1: "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n",
	} {
		var got bytes.Buffer
		if err := Read(path, tail, func(b Block) { got.Write(b) }); err != nil || got.String() != want {
			t.Errorf("tail %d gave %q, %v, want %q", tail, got.String(), err, want)
		}
	}
	if err := Read(path+"none", -1, nil); err == nil {
		t.Error("a file that is not there was read")
	}
}

// Whoever begins to read while files are being put aside is given each line once.
func TestReadingBeginsWhileFilesArePutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f := create(t, path, FileOptions{Limit: 1000, Old: 1000})
	f.Write("out", Block(lines(0, 200)))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 200; i < 10000; i++ {
			f.Write("out", Block(lines(i, i+1)))
		}
	}()
	for reading := true; reading; {
		select {
		case <-ended:
			reading = false
		default:
		}
		for tail, least := range map[int]int{-1: 200, 50: 50} {
			var got bytes.Buffer
			if err := Read(path, tail, func(b Block) { got.Write(b) }); err != nil {
				t.Fatal(err)
			}
			first, count := 0, strings.Count(got.String(), "\n")
			if _, err := fmt.Sscanf(got.String(), "line %d\n", &first); err != nil || tail < 0 && first != 0 || count < least {
				t.Fatalf("tail %d gave %d lines and began with %.40q", tail, count, got.String())
			}
			if want := lines(first, first+count); got.String() != want {
				t.Fatalf("tail %d: lines are missing or there twice", tail)
			}
		}
	}
	<-ended
}
