package scratch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/platform/process"
)

func TestAFolderNamesItsProcess(t *testing.T) {
	parent := t.TempDir()
	path, err := Make(parent, "murlua-")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 || !strings.HasPrefix(info.Name(), "murlua-") {
		t.Errorf("made %v, %v", info, err)
	}
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string {
		t.Helper()
		name := strings.Replace(filepath.Base(path), from, to, 1)
		other := filepath.Join(parent, name)
		if other == path {
			t.Fatalf("%s has no %q", name, from)
		}
		if err := os.Mkdir(other, 0o700); err != nil {
			t.Fatal(err)
		}
		return other
	}
	reused := change("."+own.Start+".", ".1.")
	elsewhere := change("."+where(own.Origin)+".", ".00000000.")
	if err := os.Symlink("/", filepath.Join(parent, filepath.Base(path)+"1")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, "murlua-something"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, err := Find(parent)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]process.Kind{}
	for _, folder := range found {
		got[folder] = Judge(folder).Kind
	}
	want := map[string]process.Kind{
		path: process.Alive, reused: process.Gone, elsewhere: process.Unverified,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if state := Judge(filepath.Join(parent, "murlua-something")); state.Kind != process.Unverified {
		t.Errorf("a folder of somebody else is %v", state)
	}
}
