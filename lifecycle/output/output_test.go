package output

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPumpHandsOnEverythingInOrder(t *testing.T) {
	long := strings.Repeat("x", 5*mostBuffer+17)
	for name, text := range map[string]string{
		"empty": "", "one line": "a\n", "no end": "a\nb", "blank lines": "\n\n\n", "binary": "a\xff\x1b[1m\r\nb\x00\n",
		"a long line": "before\n" + long + "\nafter\n", "only a long line": long,
		"many": strings.Repeat("line of some length\n", 20000),
	} {
		for kind, r := range map[string]io.Reader{"at once": strings.NewReader(text), "by byte": iotest.OneByteReader(strings.NewReader(text)), "half": iotest.HalfReader(strings.NewReader(text))} {
			var got bytes.Buffer
			if err := Pump(r, func(b Block) {
				if len(b) > mostBuffer {
					t.Errorf("%s, %s: a block of %d bytes", name, kind, len(b))
				}
				if !b.Whole() && bytes.Contains(b, []byte{'\n'}) {
					t.Errorf("%s, %s: a block mixes whole lines and a piece", name, kind)
				}
				got.Write(b)
			}); err != nil {
				t.Error(err)
			}
			if got.String() != text {
				t.Errorf("%s, %s: %d bytes came out of %d", name, kind, got.Len(), len(text))
			}
		}
	}
}

func TestPumpHandsOnAPromptThatStaysOpen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(chan string)
	done := make(chan error)
	go func() { done <- Pump(r, func(b Block) { blocks <- string(b) }) }()
	w.WriteString("line\npassword: ")
	for _, want := range []string{"line\n", "password: "} {
		if got := <-blocks; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.WriteString("x\n")
	if got := <-blocks; got != "x\n" {
		t.Errorf("got %q", got)
	}
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	r.Close()
}

func TestBlockLines(t *testing.T) {
	var got []string
	Block("a\r\n\nb\rc\nlast\r").Lines(func(l []byte) { got = append(got, string(l)) })
	if want := []string{"a", "", "b\rc", "last\r"}; fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFileIsPrivateAndRotatesAtLineEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f, err := Create(path, FileOptions{Limit: 1000, Old: 3})
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for i := range 400 {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	for rest := all.Bytes(); len(rest) > 0; {
		n := min(len(rest), 333)
		f.Write("out", rest[:n])
		rest = rest[n:]
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for _, name := range []string{path + ".3", path + ".2", path + ".1", path} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(name)
		if info.Mode().Perm() != 0o600 || len(data) > 1020 || !Block(data).Whole() {
			t.Errorf("%s: mode %v, %d bytes", name, info.Mode(), len(data))
		}
		kept = append(kept, data...)
	}
	if !bytes.HasSuffix(all.Bytes(), kept) || len(kept) < 3000 {
		t.Errorf("the kept %d bytes are not the end of what was written", len(kept))
	}
	if _, err := os.Stat(path + ".4"); err == nil {
		t.Error("a fifth file was kept")
	}
}

func TestNoLineIsMadeOfTwoStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f, err := Create(path, FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.Write("out", Block("pass"))
	f.Write("out", Block("word: "))
	f.Write("err", Block("warning\n"))
	f.Write("out", Block("rest\nopen"))
	f.Close()
	if got, _ := os.ReadFile(path); string(got) != "password: \nwarning\nrest\nopen\n" {
		t.Errorf("got %q", got)
	}
}

func TestFollowGivesTheTailAndThenWhatComesAcrossRotations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f, err := Create(path, FileOptions{Limit: 2000, Old: 50})
	if err != nil {
		t.Fatal(err)
	}
	write := func(from, to int) {
		for i := from; i < to; i++ {
			f.Write("out", Block(fmt.Sprintf("line %06d\n", i)))
		}
	}
	write(0, 500)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var got bytes.Buffer
	done := make(chan error)
	go func() {
		done <- Follow(ctx, path, FollowOptions{Tail: 5, Follow: true}, func(b Block) {
			mu.Lock()
			got.Write(b)
			mu.Unlock()
		})
	}()
	has := func(text string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(got.String(), text)
	}
	until(t, func() bool { return has("line 000499\n") })
	write(500, 3000)
	f.Write("out", Block("part of a line"))
	until(t, func() bool { return has("part of a line") })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	f.Close()
	var want bytes.Buffer
	for i := 495; i < 3000; i++ {
		fmt.Fprintf(&want, "line %06d\n", i)
	}
	want.WriteString("part of a line")
	if got.String() != want.String() {
		t.Errorf("got %d bytes, want %d", got.Len(), want.Len())
	}
}

func TestFollowWaitsForTheFile(t *testing.T) {
	below := t.TempDir()
	folder := filepath.Join(below, "formation", "output")
	path := filepath.Join(folder, "member.log")
	for _, step := range []struct {
		name string
		make func() error
	}{
		{"at once", func() error { return nil }},
		{"its folder comes", func() error { return os.MkdirAll(folder, 0o700) }},
		{"another file comes", func() error { return os.WriteFile(filepath.Join(folder, "other.log"), nil, 0o600) }},
		{"its folder goes", func() error { return os.RemoveAll(filepath.Join(below, "formation")) }},
	} {
		if err := step.make(); err != nil {
			t.Fatal(err)
		}
		t.Run("after "+step.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			blocks, done := make(chan string, 10), make(chan error, 1)
			go func() {
				done <- Follow(ctx, path, FollowOptions{Tail: -1, Follow: true, Below: below}, func(b Block) { blocks <- string(b) })
			}()
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := Create(path, FileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f.Write("out", Block("the first line\n"))
			got := ""
			for got != "the first line\n" {
				got += <-blocks
			}
			f.Close()
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Follow(ctx, path, FollowOptions{Follow: true, Below: below}, nil); err != nil {
		t.Errorf("the end of the context gave %v", err)
	}
}

func TestFollowReadsWhatWasThereAtTheEnd(t *testing.T) {
	for range 50 {
		path := filepath.Join(t.TempDir(), "member.log")
		f, err := Create(path, FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f.Write("out", Block("one\n"))
		ctx, cancel := context.WithCancel(t.Context())
		blocks, done := make(chan string, 10), make(chan error, 1)
		go func() {
			done <- Follow(ctx, path, FollowOptions{Tail: -1, Follow: true}, func(b Block) { blocks <- string(b) })
		}()
		<-blocks
		f.Write("out", Block("two\n"))
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		f.Close()
		if len(blocks) != 1 || <-blocks != "two\n" {
			t.Fatal("what was written before the end was not read")
		}
	}
}

func TestFollowWithoutFollowingReadsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	f, _ := Create(path, FileOptions{Limit: 30, Old: 5})
	for i := range 8 {
		f.Write("out", Block(fmt.Sprintf("line %d\n", i)))
	}
	defer f.Close()
	for tail, want := range map[int]string{
		0: "", 1: "line 7\n", 3: "line 5\nline 6\nline 7\n",
		-1: "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n",
	} {
		var got bytes.Buffer
		if err := Follow(t.Context(), path, FollowOptions{Tail: tail}, func(b Block) { got.Write(b) }); err != nil || got.String() != want {
			t.Errorf("tail %d gave %q, %v, want %q", tail, got.String(), err, want)
		}
	}
	if err := Follow(t.Context(), path+"none", FollowOptions{}, nil); err == nil {
		t.Error("a file that is not there was followed")
	}
}

func until(t *testing.T, condition func() bool) {
	t.Helper()
	end := time.Now().Add(10 * time.Second)
	for !condition() {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
		time.Sleep(time.Millisecond)
	}
}

func FuzzPump(f *testing.F) {
	f.Add([]byte("a\r\nb"), 3)
	f.Fuzz(func(t *testing.T, data []byte, _ int) {
		var got bytes.Buffer
		if err := Pump(iotest.HalfReader(bytes.NewReader(data)), func(b Block) { got.Write(b) }); err != nil || !bytes.Equal(got.Bytes(), data) {
			t.Errorf("%q came out as %q, %v", data, got.Bytes(), err)
		}
	})
}

// While files are being renamed one number is missing, wherever the renaming has got to.
func TestAFollowerFindsTheNextFileWhileOthersAreRenamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "member.log")
	name := func(n int) string { return (&File{path: path}).numbered(n) }
	for n := range 7 { // 6 is the oldest
		if err := os.WriteFile(name(n), []byte(fmt.Sprint(n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reading, err := os.Open(name(4))
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{path: path, file: reading}
	defer f.close()
	expect := func(when, want string) {
		t.Helper()
		next, err := f.next()
		if err != nil || next == nil {
			t.Fatalf("%s: %v, %v", when, next, err)
		}
		defer next.Close()
		if text, _ := io.ReadAll(next); string(text) != want {
			t.Errorf("%s: the file after 4 is %s, want %s", when, text, want)
		}
	}
	expect("at rest", "3")
	for n := 6; n >= 0; n-- {
		if err := os.Rename(name(n), name(n+1)); err != nil {
			t.Fatal(err)
		}
		expect(fmt.Sprintf("when %d was renamed", n), "3")
	}
	for n := 5; n < 8; n++ { // what is read is no longer kept: 4 is now 5
		if err := os.Remove(name(n)); err != nil {
			t.Fatal(err)
		}
	}
	expect("when it is gone", "3")
}
