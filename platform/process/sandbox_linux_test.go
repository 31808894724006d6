package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A role that sees the system as a sandbox shows it, and says what became of the processes that it is
// told of.
func init() {
	roles["sandboxed"] = func() {
		var wish wish
		if err := json.NewDecoder(os.Stdin).Decode(&wish); err != nil {
			panic(err)
		}
		_ = surroundings()
		_ = pidfs()
		if err := wish.enter(); err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(wish.findings())
	}
}

// wish is what a sandbox is to be like and what to do in it.
type wish struct {
	// Forbidden are system calls that fail with Errno.
	Forbidden []uintptr
	Errno     uint32
	// NoDescriptors: not one more can be opened.
	NoDescriptors bool
	// Namespaces are those that the sandboxed process gets anew.
	Namespaces uintptr
	// As is the user and group of the sandboxed process, when it is not to be ours.
	As         uint32
	Identities map[string]told
	// Signal is sent to each.
	Signal syscall.Signal
}

// told is an identity with its origin, which an identity loses as a text.
type told struct {
	Identity
	Origin Origin
}

func (t told) identity() Identity {
	t.Identity.Origin = t.Origin
	return t.Identity
}

func tell(identities map[string]Identity) map[string]told {
	all := map[string]told{}
	for name, id := range identities {
		all[name] = told{id, id.Origin}
	}
	return all
}

// finding is what became of one process.
type finding struct {
	State  State
	Method string
	// Signalled is the error of the signal, or "sent".
	Signalled string
	// Exited: the end was noticed after the signal.
	Exited bool
}

func (w wish) enter() error {
	if w.NoDescriptors {
		return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{})
	}
	return forbid(w.Forbidden, w.Errno)
}

func (w wish) findings() map[string]finding {
	findings := map[string]finding{}
	for name, told := range w.Identities {
		id := told.identity()
		found := finding{State: Inspect(id)}
		ref, state := OpenIdentity(id)
		if state != found.State {
			found.State.Reason += fmt.Sprintf(" / %+v", state)
		}
		if ref != nil {
			found.Method, found.Signalled = ref.Method().String(), "sent"
			if err := ref.Signal(w.Signal); err != nil {
				found.Signalled = err.Error()
			} else if w.Signal == syscall.SIGKILL {
				<-ref.Exited()
				found.Exited = true
			}
			_ = ref.Close()
		}
		findings[name] = found
	}
	return findings
}

// forbid has the system calls fail in this process, see seccomp(2).
func forbid(calls []uintptr, errno uint32) error {
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the call's number
	for _, call := range calls {
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(call), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if failed != 0 {
		return failed
	}
	return nil
}

// sandboxed runs the role.
func sandboxed(t *testing.T, w wish) map[string]finding {
	t.Helper()
	wished, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=sandboxed")
	cmd.Stdin = strings.NewReader(string(wished))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: w.Namespaces}
	if w.As != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: w.As, Gid: w.As}
	}
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("the sandboxed process: %v", err)
	}
	var findings map[string]finding
	if err := json.Unmarshal(said, &findings); err != nil {
		t.Fatal(err)
	}
	return findings
}

// subjects are processes of every kind: the sandboxed process is told of them.
func subjects(t *testing.T) (identities map[string]Identity, pids map[string]int) {
	t.Helper()
	alive, headless, ended := start(t, "wait"), start(t, "first-thread-ends"), start(t, "wait")
	until(t, "the first thread ends", func() bool {
		stat, err := readStat(headless.pid())
		return err == nil && stat.state == 'Z' && stat.threads > 1
	})
	identities = map[string]Identity{"alive": identifyChild(t, alive), "headless": identifyChild(t, headless), "zombie": identifyChild(t, ended)}
	_ = ended.stdin.Close()
	until(t, "the other ends", func() bool { return Inspect(identities["zombie"]).Kind == Gone })
	recycled := identities["alive"]
	recycled.Start += "0"
	identities["recycled"] = recycled
	identities["nothing"] = Identity{PID: 1<<22 + 1, Start: "1"}
	pids = map[string]int{}
	for name, id := range identities {
		pids[name] = id.PID
	}
	return identities, pids
}

// Where pidfds cannot be had the verdicts are the same, the signals reach the same processes, and how
// they were held is said.
func TestWithoutPidfds(t *testing.T) {
	for _, c := range []struct {
		name   string
		wish   wish
		method Method
	}{
		{"an old kernel", wish{Forbidden: []uintptr{unix.SYS_PIDFD_OPEN}, Errno: uint32(unix.ENOSYS)}, ByProcDirectory},
		{"a sandbox", wish{Forbidden: []uintptr{unix.SYS_PIDFD_OPEN}, Errno: uint32(unix.EPERM)}, ByProcDirectory},
		{"an older kernel", wish{Forbidden: []uintptr{unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL}, Errno: uint32(unix.ENOSYS)}, ByNumber},
		{"a stricter sandbox", wish{Forbidden: []uintptr{unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL}, Errno: uint32(unix.EPERM)}, ByNumber},
	} {
		t.Run(c.name, func(t *testing.T) {
			identities, pids := subjects(t)
			c.wish.Identities, c.wish.Signal = tell(identities), syscall.SIGKILL
			findings := sandboxed(t, c.wish)
			killed := finding{State: alive(), Method: c.method.String(), Signalled: "sent", Exited: true}
			for name, want := range map[string]finding{
				"alive": killed, "headless": killed,
				"zombie": {State: noProcess(pids["zombie"])}, "nothing": {State: noProcess(pids["nothing"])},
			} {
				if findings[name] != want {
					t.Errorf("%s: %+v, want %+v", name, findings[name], want)
				}
			}
			// It may have been killed already as what it is, by its other identity.
			got := findings["recycled"]
			if got.Method != "" || got.State != otherStart(pids["recycled"]) && got.State != noProcess(pids["recycled"]) {
				t.Errorf("recycled: %+v", got)
			}
		})
	}
}

// Without a descriptor nothing can be held, so nothing is signalled; what nothing holds is gone all the
// same.
func TestWithoutDescriptors(t *testing.T) {
	identities, pids := subjects(t)
	findings := sandboxed(t, wish{NoDescriptors: true, Identities: tell(identities), Signal: syscall.SIGKILL})
	for name, got := range findings {
		want := finding{State: State{Unverified, fmt.Sprintf("pid %d could not be examined: too many open files; close some, or raise the limit (ulimit -n), and try again", pids[name])}}
		if name == "nothing" {
			want.State = noProcess(pids[name])
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for _, name := range []string{"alive", "headless"} {
		if state := Inspect(identities[name]); state != alive() {
			t.Errorf("%s was signalled: %+v", name, state)
		}
	}
}

// A process of somebody else's is there, and is not signalled.
func TestAProcessOfSomebodyElse(t *testing.T) {
	requireRoot(t)
	const nobody = 65534
	c := start(t, "wait")
	id := identifyChild(t, c)
	findings := sandboxed(t, wish{As: nobody, Identities: tell(map[string]Identity{"root's": id}), Signal: syscall.SIGKILL})
	want := finding{State: alive(), Method: "handle", Signalled: "cannot signal process " + strconv.Itoa(c.pid()) + ": operation not permitted"}
	if got := findings["root's"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if state := Inspect(id); state != alive() {
		t.Errorf("it was signalled: %+v", state)
	}
}

// Where /proc shows the numbers of another pid namespace, a number means one process to the kernel and
// another to /proc: nothing that is read there is about the one that would be signalled.
func TestAProcOfAnotherNamespaceIsNotBelieved(t *testing.T) {
	requireRoot(t)
	// The sandboxed process is number 1 where it is.
	token, err := StartToken(1)
	if err != nil {
		t.Fatal(err)
	}
	identities := tell(map[string]Identity{"the first": {PID: 1, Start: token}, "another start": {PID: 1, Start: token + "0"}})
	findings := sandboxed(t, wish{Namespaces: unix.CLONE_NEWPID, Identities: identities})
	for name, got := range findings {
		if want := (finding{State: unreadableStart(1)}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestErrorsThatMeanNoDescriptor(t *testing.T) {
	for err, want := range map[error]bool{unix.EMFILE: true, unix.ENFILE: true, unix.EPERM: false, errors.New("x"): false} {
		if got := outOfDescriptors(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
