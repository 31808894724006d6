package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
