package formation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/home"
)

// A script that cannot be read is its member's failure, not everybody's, and is found before anything is started.
func TestOnlyTheMemberWithoutItsScriptIsBlamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.lua"), []byte("return"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan := Plan{Members: []Member{
		{Name: "nap", Command: &Command{Args: []string{"sleep", "50"}}},
		{Name: "cap", Script: &Script{Path: "there.lua"}},
		{Name: "lost", Script: &Script{Path: "missing.lua"}, After: []string{"cap"}},
	}}
	spawned := 0
	_, err = Launch(context.Background(), plan, Options{
		Home: h, ProjectDir: dir, Executable: os.Args[0], Environ: os.Environ(),
		OnEvent: func(e Event) {
			if e.Kind == Spawned {
				spawned++
			}
		},
	})
	launch, ok := errors.AsType[*LaunchError](err)
	if !ok {
		t.Fatalf("got %v, want a launch error", err)
	}
	var names []string
	for _, f := range launch.Failed {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"lost"}, names); diff != "" {
		t.Errorf("blamed (-want +got):\n%s", diff)
	}
	if !strings.Contains(launch.Error(), "missing.lua") || spawned != 0 {
		t.Errorf("%d were spawned; %v", spawned, launch)
	}
}
