//go:build linux

package formation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
)

// While a formation of 200 runs, the launcher has exactly one write end of each lifeline and of each channel, and each
// member its own two read ends and nothing else above the standard streams.
func TestDescriptorsOfAFormationOf200(t *testing.T) {
	r := newRig(t)
	const count = 200
	var p formation.Plan
	for i := range count {
		p.Members = append(p.Members, capsule(fmt.Sprintf("m%d", i), "door ses_standin", "await"))
	}
	before := pipesOf(t, os.Getpid())
	f := r.launch(p)
	ours := map[string]int{}
	for inode, mode := range pipesOf(t, os.Getpid()) {
		if before[inode] == "" {
			ours[inode] = strings.Count(mode, "w")
		}
	}
	seen := map[string]string{}
	for _, peer := range f.Peers() {
		var targets []string
		for number, target := range above2(t, peer.PID) {
			targets = append(targets, number+" "+strings.SplitN(target, ":", 2)[0])
			if number == "3" || number == "4" {
				if other := seen[target]; other != "" {
					t.Errorf("%s and %s share %s", other, peer.Name, target)
				}
				seen[target] = peer.Name
				if ours[target] != 1 {
					t.Errorf("the launcher has %d write ends of %s's descriptor %s, want one", ours[target], peer.Name, number)
				}
			}
		}
		sort.Strings(targets)
		if diff := cmp.Diff([]string{"3 pipe", "4 pipe"}, targets); diff != "" {
			t.Errorf("%s: %s", peer.Name, diff)
		}
	}
	f.Stop(nil)
	r.wait(f)
	r.gone()
	after := pipesOf(t, os.Getpid())
	for inode := range after {
		if before[inode] == "" {
			t.Errorf("the launcher kept %s", inode)
		}
	}
}

// pipesOf lists a process's pipes with an r or w for each of its ends.
func pipesOf(t *testing.T, pid int) map[string]string {
	t.Helper()
	pipes := map[string]string{}
	for number, target := range descriptors(t, pid) {
		if !strings.HasPrefix(target, "pipe:") {
			continue
		}
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, number))
		if err != nil {
			continue // closed meanwhile
		}
		mode := "r"
		for _, line := range strings.Split(string(info), "\n") {
			if flags, ok := strings.CutPrefix(line, "flags:"); ok && strings.HasSuffix(strings.TrimSpace(flags), "1") {
				mode = "w"
			}
		}
		pipes[target] += mode
	}
	return pipes
}

func descriptors(t *testing.T, pid int) map[string]string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(dir, entry.Name())); err == nil {
			found[entry.Name()] = target
		}
	}
	return found
}

// above2 leaves out what a Go program opens itself: its listener, and what the runtime needs.
func above2(t *testing.T, pid int) map[string]string {
	t.Helper()
	found := descriptors(t, pid)
	for number, target := range found {
		own := strings.HasPrefix(target, "socket:") || strings.HasPrefix(target, "anon_inode:") || strings.HasPrefix(target, "/sys/fs/cgroup/")
		if len(number) == 1 && number < "3" || own {
			delete(found, number)
		}
	}
	return found
}
