package marks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/platform/process"
)

func example() Note {
	origin := process.Origin{Boot: "b", Machine: "m", Host: "h", PIDNamespace: "pid:[1]", TimeNamespace: "time:[2]", Inode: "3", Start: "4", ReadAt: 5}
	return Note{
		Keeper:  0x1234_5678_9a00_0000,
		Host:    process.Identity{PID: 6, Start: "4", Origin: origin},
		Process: process.Identity{PID: 7, Start: "8", Origin: origin.WithoutProcess()},
	}
}

func TestANoteIsReadAsItWasWritten(t *testing.T) {
	text, err := example().encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode("123456789a000000.json", text)
	if diff := cmp.Diff(example(), got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := decode("123456789b000000.json", text); err == nil {
		t.Error("it was read under another name")
	}
	if len(text) > maxNote/4 {
		t.Errorf("it has %d bytes", len(text))
	}
}

func TestNamesOfNotes(t *testing.T) {
	for name, want := range map[string]bool{
		"123456789a000000.json":  true,
		"123456789a000001.json":  false, // a command's mark
		"0000000000000000.json":  false,
		"ffffffffff000000.json":  false,
		"123456789A000000.json":  false,
		"+23456789a000000.json":  false,
		"123456789a000000.jsonx": false,
		"123456789a000000":       false,
		"":                       false,
	} {
		if _, got := markOf(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestTheFolderBelongsToUsAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "marks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := trusted(dir); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	if err := trusted(dir); err == nil {
		t.Error("others may write to it")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := trusted(link); err == nil {
		t.Error("a link is a folder")
	}
}

func FuzzDecode(f *testing.F) {
	text, err := example().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("123456789a000000.json", text)
	f.Add("123456789a000000.json", []byte(`{"mark":"123456789a000000","host":{"pid":-1},"keeper":null}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		note, err := decode(name, text)
		if err == nil && (fileName(note.Keeper) != name || note.Host.PID < 1 || note.Process.PID < 1 || note.Host.Start == "") {
			t.Errorf("took %q as %+v", text, note)
		}
	})
}
