package formation_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

func TestRootsAreWhereMembersRecorded(t *testing.T) {
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := id.NewFormation()
	if roots := formation.Roots(h, name); roots != nil {
		t.Errorf("a formation that left nothing has roots %v", roots)
	}
	dir := filepath.Join(h.Formations(), string(name))
	var want []string
	for _, member := range []string{"worker", "reviewer"} {
		if err := os.MkdirAll(filepath.Join(dir, member), 0o700); err != nil {
			t.Fatal(err)
		}
		records, err := h.EnsureRecordsDir(filepath.Join(dir, member), string(id.NewSession()))
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{filepath.Dir(records)}, want...)
	}
	if err := os.Mkdir(filepath.Join(dir, "idle"), 0o700); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, formation.Roots(h, name)); diff != "" {
		t.Error(diff)
	}
}
