//go:build unix

package formation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/formation"
)

func TestMembersAreHandedWhatIsTheirsAndNothingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.options.Environ = append(r.options.Environ, "MURMUR_FORMATION_PEERS=x=y", "MURMUR_SPAWNER={}", "MURMUR_SPAWNER_LIFELINE=9", "KEPT=yes")
	// A descriptor that this program inherited from whoever started it reaches no member.
	leak, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	folders := map[string]string{}
	make := func(name string, more ...string) formation.Member {
		folders[name] = t.TempDir()
		return capsule(name, append([]string{"dump " + folders[name]}, more...)...)
	}
	coder := make("coder", "door ses_coder", "await")
	coder.Calls = []string{"reviewer"}
	reviewer := make("reviewer", "door ses_reviewer", "await")
	lead := make("lead", "await")
	lead.Entry, lead.Calls = true, []string{"coder"}
	task := "add them"
	r.options.Task = &task
	f := r.launch(plan(coder, reviewer, lead))
	if _, err := f.StartEntry(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := func(name string, want int) []string {
		var got []string
		eventually(t, name+"'s channel", func() bool {
			text, _ := os.ReadFile(filepath.Join(folders[name], "channel"))
			got = slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return s == "" })
			return len(got) >= want
		})
		return got
	}
	coderLines, leadLines, reviewerLines := lines("coder", 2), lines("lead", 2), lines("reviewer", 1)
	checkChannels(t, f, coderLines, leadLines, reviewerLines)
	f.Stop(nil)
	r.wait(f)
	if got := lines("reviewer", 1); len(got) != 1 {
		t.Errorf("the reviewer, who calls nobody, got %d lines", len(got))
	}
	for name, folder := range folders {
		argv, env, fds := read(t, folder, "argv"), read(t, folder, "env"), read(t, folder, "fds")
		if strings.Contains(argv+env, "mft1.") {
			t.Errorf("%s got a token in its arguments or environment", name)
		}
		for _, unwanted := range []string{"MURMUR_FORMATION_PEERS=", "MURMUR_SPAWNER=", "MURMUR_SPAWNER_LIFELINE="} {
			if strings.Contains(env, unwanted) {
				t.Errorf("%s inherited %s", name, unwanted)
			}
		}
		for _, wanted := range []string{
			"KEPT=yes", "MURMUR_FORMATION_ID=" + string(f.ID()), "MURMUR_HOST_WARNINGS_REPORTED=1",
			"MURMUR_FORMATION_CHANNEL=4", "MURMUR_FORMATION_LIFELINE=3",
		} {
			if !strings.Contains("\n"+env+"\n", "\n"+wanted+"\n") {
				t.Errorf("%s lacks %s", name, wanted)
			}
		}
		checkDescriptors(t, name, fds)
	}
}

func checkDescriptors(t *testing.T, name, fds string) {
	t.Helper()
	var above []string
	for _, line := range strings.Split(fds, "\n") {
		number, target, _ := strings.Cut(line, " ")
		if n, _ := strconv.Atoi(number); n > 2 {
			kind, _, _ := strings.Cut(target, ":")
			above = append(above, number+" "+kind)
		}
	}
	if diff := cmp.Diff([]string{"3 pipe", "4 pipe"}, above); diff != "" {
		t.Errorf("%s has other descriptors than its two read ends: %s", name, diff)
	}
}

// checkChannels checks what three members read: a key that all share, a token for each callee and nothing about
// anybody else, then the callees' doors.
func checkChannels(t *testing.T, f *formation.Formation, coder, lead, reviewer []string) {
	t.Helper()
	for _, part := range []string{`{"formation_id":"` + string(f.ID()) + `","member":"coder","launcher":{"pid":`, `"calls":[{"name":"reviewer","token":"mft1.`} {
		if !strings.Contains(coder[0], part) {
			t.Errorf("the coder's first line lacks %s", part)
		}
	}
	if strings.Contains(strings.Join(lead, ""), "reviewer") {
		t.Error("the lead, who calls the coder, was told about the reviewer")
	}
	if !strings.HasSuffix(reviewer[0], `"calls":[]}`) {
		t.Error("the reviewer was given somebody to call")
	}
	for _, check := range []struct{ line, name string }{{coder[1], "reviewer"}, {lead[1], "coder"}} {
		peer, _ := f.Peer(check.name)
		if want := fmt.Sprintf(`{"addresses":[{"name":%q,"url":%q}]}`, peer.Name, peer.URL); check.line != want {
			t.Errorf("the address line is %s, want %s", check.line, want)
		}
	}
}
