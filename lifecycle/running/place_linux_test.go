package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

const (
	placeVariable = "RUNNING_TEST_PLACE"
	nobody        = 65534
)

func init() {
	// reads the records from a place that it enters first, and tries everything with them.
	roles["judge"] = func() {
		if place := os.Getenv(placeVariable); place != "" {
			if err := places[place](); err != nil {
				fmt.Fprintln(os.Stderr, place, err)
				os.Exit(1)
			}
		}
		if err := judge(os.Getenv(homeVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// places are what a process does to be somewhere else, in a mount namespace of its own.
var places = map[string]func() error{
	"another boot id": func() error {
		file := filepath.Join(os.Getenv(homeVariable), "boot-id")
		if err := os.WriteFile(file, []byte("00000000-0000-0000-0000-000000000000\n"), 0o600); err != nil {
			return err
		}
		return unix.Mount(file, "/proc/sys/kernel/random/boot_id", "", unix.MS_BIND, "")
	},
	"a time namespace": func() error {
		if err := unix.Unshare(unix.CLONE_NEWTIME); err != nil {
			return err
		}
		if err := os.WriteFile("/proc/self/timens_offsets", []byte("boottime 864000 0\n"), 0o600); err != nil {
			return err
		}
		return again()
	},
	"a pid namespace with its own proc": func() error { return unix.Mount("proc", "/proc", "proc", 0, "") },
	"a pid namespace":                   func() error { return nil },
	"hidepid": func() error {
		if err := unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"); err != nil {
			return err
		}
		return errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
	},
}

// again becomes the judge anew, in the place that was prepared.
func again() error {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	if err := os.Unsetenv(placeVariable); err != nil {
		return err
	}
	return unix.Exec(self, []string{self}, os.Environ())
}

// verdict is what came of one record.
type verdict struct {
	State    string
	Liveness string
	Signal   string
	Pruned   string
}

func judge(dir string) error {
	h, err := home.Resolve(dir)
	if err != nil {
		return err
	}
	records, err := List(h)
	if err != nil {
		return err
	}
	verdicts := map[id.Session]verdict{}
	for _, record := range records {
		verifier := Verifier{Probe: func(context.Context, string, credential.Secret) (string, error) {
			return string(record.SessionID), nil
		}}
		state, live := ProcessState(record), verifier.Verify(context.Background(), record)
		v := verdict{State: text(state.Kind, state.Reason), Liveness: text(live.State, live.Reason), Pruned: "pruned"}
		outcome := Signal(record, syscall.SIGKILL)
		v.Signal = text(outcome.Kind, outcome.Reason)
		if err := Prune(h, record); errors.Is(err, ErrNotGone) {
			v.Pruned = "not gone"
		} else if err != nil {
			v.Pruned = err.Error()
		}
		verdicts[record.SessionID] = v
	}
	return json.NewEncoder(os.Stdout).Encode(verdicts)
}

func text(kind fmt.Stringer, reason string) string {
	return strings.TrimSuffix(kind.String()+": "+reason, ": ")
}

// judged runs the judge over the records of h, from the place.
func judged(t *testing.T, h home.Home, place string, namespaces uintptr) map[id.Session]verdict {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=judge", homeVariable+"="+filepath.Dir(h.Path()), placeVariable+"="+place)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("the judge: %v", err)
	}
	var verdicts map[id.Session]verdict
	if err := json.Unmarshal(said, &verdicts); err != nil {
		t.Fatalf("%v in %q", err, said)
	}
	return verdicts
}

func unverified(reason string) verdict {
	return verdict{"unverified: " + reason, "unreachable: " + reason, "refused: " + reason, "not gone"}
}

// The number and the start of a process mean something else, or nothing, elsewhere. The process is
// alive all the while.
func TestReadersElsewhereNeverPruneAndNeverSignal(t *testing.T) {
	require(t, "root", os.Geteuid() == 0, "only root makes namespaces everywhere")
	for _, c := range []struct {
		place      string
		namespaces uintptr
		reason     string
	}{
		{"another boot id", unix.CLONE_NEWNS, "pid %d was recorded under another boot id"},
		{"a time namespace", unix.CLONE_NEWNS, "pid %d was recorded in another time namespace"},
		{"a pid namespace", unix.CLONE_NEWNS | unix.CLONE_NEWPID, "pid %d was recorded in another pid namespace"},
		{"a pid namespace with its own proc", unix.CLONE_NEWNS | unix.CLONE_NEWPID, "pid %d was recorded in another pid namespace"},
	} {
		t.Run(c.place, func(t *testing.T) {
			if c.namespaces&unix.CLONE_NEWPID != 0 {
				require(t, "pidns", exists("/proc/self/ns/pid"), "this kernel has no pid namespaces")
			}
			child, h := start(t, "wait"), newHome(t)
			record := write(t, h, ours(child.identity(t)))
			own := write(t, h, ours(current(t)))
			verdicts := judged(t, h, c.place, c.namespaces)
			want := map[id.Session]verdict{
				record.SessionID: unverified(fmt.Sprintf(c.reason, child.pid())),
				own.SessionID:    unverified(fmt.Sprintf(c.reason, os.Getpid())),
			}
			if diff := cmp.Diff(want, verdicts); diff != "" {
				t.Error(diff)
			}
			child.runs(t)
			if !exists(record.Path) || !exists(own.Path) {
				t.Error("a record was removed")
			}
		})
	}
}

// A process that is hidden is known by its inode, where the record has it, and unverified otherwise.
func TestAHiddenProcessIsNeverPrunedAndNeverSignalled(t *testing.T) {
	require(t, "root", os.Geteuid() == 0, "only root hides processes")
	child, h := start(t, "wait"), newHome(t)
	identity := child.identity(t)
	known, murmurs := write(t, h, ours(identity)), write(t, h, plain(identity))
	openTo(t, nobody, h)
	verdicts := judged(t, h, "hidepid", unix.CLONE_NEWNS)
	want := map[id.Session]verdict{
		known.SessionID:   {"alive", "live", "refused: operation not permitted", "not gone"},
		murmurs.SessionID: unverified(fmt.Sprintf("pid %d's start time could not be read", child.pid())),
	}
	if identity.Origin.Inode == "" {
		want[known.SessionID] = want[murmurs.SessionID]
	}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Error(diff)
	}
	child.runs(t)
	if !exists(known.Path) || !exists(murmurs.Path) {
		t.Error("a record was removed")
	}
}

// openTo gives the home to another user.
func openTo(t *testing.T, user int, h home.Home) {
	t.Helper()
	root := filepath.Dir(h.Path())
	for _, dir := range []string{filepath.Dir(root), root} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(h.Path(), func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, user, user))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An earlier boot of this machine is the one foreign place that proves an end.
func TestARecordOfAnEarlierBootIsStale(t *testing.T) {
	identity := current(t)
	if identity.Origin.Machine == "" {
		t.Skip("this machine has no id")
	}
	identity.Origin.Boot, identity.Origin.ReadAt = "00000000-0000-0000-0000-000000000000", 1
	h := newHome(t)
	record := write(t, h, ours(identity))
	reason := fmt.Sprintf("pid %d belonged to an earlier boot of this machine", os.Getpid())
	if got := Signal(record, syscall.SIGKILL); got != (Outcome{Kind: AlreadyGone, Reason: reason}) {
		t.Errorf("signal: %+v", got)
	}
	if got := ProcessState(record); got != (process.State{Kind: process.Gone, Reason: reason}) {
		t.Errorf("state: %+v", got)
	}
	if err := Prune(h, record); err != nil || exists(record.Path) {
		t.Errorf("prune: %v", err)
	}
}
