package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// basePrefix begins the name of every cgroup directory we make: murlua-<pid>-<start>-<pid namespace>-<n>, so
// that a later start can tell whose it was and whether that process still lives.
const basePrefix = "murlua-"

var bases atomic.Int64 // numbers the bases of this process, so that two never share a name

// A Base is a cgroup directory under our own that holds the leaves of one keeper. It belongs to whoever made
// it, who ends it with [Base.Remove].
type Base struct{ dir string }

// NewBase makes an empty base under the cgroup this process is in. It first ends what bases of processes that
// are gone have left there.
func NewBase() (*Base, error) {
	own, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	endStale(own)
	return newBase(own)
}

func newBase(own string) (*Base, error) {
	name, err := baseName(bases.Add(1))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(own, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot create a cgroup in %s: %w", own, unwrapPath(err))
	}
	return &Base{dir: dir}, nil
}

// OpenBase refers to a base that another process made, by its [Base.Dir].
func OpenBase(dir string) *Base { return &Base{dir: dir} }

// Dir returns the base's directory.
func (b *Base) Dir() string { return b.dir }

// Kill ends every process in the base's leaves (cgroup.kill reaches the whole subtree). It does not wait.
func (b *Base) Kill() error { return killCgroup(b.dir) }

// Procs lists the processes in the base's leaves.
func (b *Base) Procs() []int {
	pids := procsOf(b.dir)
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if e.IsDir() {
			pids = append(pids, procsOf(filepath.Join(b.dir, e.Name()))...)
		}
	}
	return pids
}

// Remove removes the base and its empty leaves. The error says which directory could not be removed; a leaf
// that still holds processes gives EBUSY.
func (b *Base) Remove() error {
	err := os.Remove(b.dir)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if e.IsDir() {
			removeTree(filepath.Join(b.dir, e.Name()))
		}
	}
	if err := os.Remove(b.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot remove cgroup %q: %w", b.dir, unwrapPath(err))
	}
	return nil
}

// Create makes the cgroup of one command inside the base, and returns the descriptor that clone3 takes to start
// a process inside it. The caller closes the descriptor once that is done, and ends the leaf with [Leaf.Remove].
func (b *Base) Create(name string) (fd int, err error) {
	dir := b.dir + "/" + name
	if err := syscall.Mkdir(dir, 0o755); err != nil {
		return -1, fmt.Errorf("cannot create cgroup %q: %w", dir, err)
	}
	fd, err = syscall.Open(dir, syscall.O_DIRECTORY|syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		_ = syscall.Rmdir(dir)
		return -1, fmt.Errorf("cannot open cgroup %q: %w", dir, err)
	}
	return fd, nil
}

// Leaf refers to the cgroup of one command, made by this process or another.
func (b *Base) Leaf(name string) *Leaf { return &Leaf{dir: b.dir + "/" + name} }

// A Leaf is the cgroup of one command and everything it starts.
type Leaf struct{ dir string }

// Procs lists the processes in the leaf that have not ended.
func (l *Leaf) Procs() []int { return procsOf(l.dir) }

// Holds reports whether the process is in the leaf or below it. Hold a pidfd of the process across the call, so
// that the number cannot change hands.
func (l *Leaf) Holds(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return false
	}
	path, ok := unifiedPath(string(text))
	name := filepath.Join(filepath.Base(filepath.Dir(l.dir)), filepath.Base(l.dir))
	return ok && (strings.HasSuffix(path, "/"+name) || strings.Contains(path, "/"+name+"/"))
}

// Kill ends every process in the leaf at once, also those being forked at this moment. It does not wait.
func (l *Leaf) Kill() error { return killCgroup(l.dir) }

// Remove removes the leaf if nothing is left in it, which is the proof that nothing is.
func (l *Leaf) Remove() bool {
	if err := syscall.Rmdir(l.dir); err != nil && err != syscall.ENOENT {
		if err != syscall.EBUSY || len(procsDeep(l.dir)) > 0 {
			return false
		}
		// Empty directories that a member made below its own cgroup.
		removeTree(l.dir)
		if _, err := os.Stat(l.dir); err == nil {
			return false
		}
	}
	return true
}

// EndStale ends what keepers and hosts that are gone left under our own cgroup: a base names the process that
// made it, and is only touched when that process is proved gone. It returns how many processes were killed.
func EndStale() int {
	own, err := ownCgroup()
	if err != nil {
		return 0
	}
	return endStale(own)
}

func endStale(own string) (killed int) {
	entries, _ := os.ReadDir(own)
	for _, e := range entries {
		if !e.IsDir() || !stale(e.Name()) {
			continue
		}
		b := OpenBase(filepath.Join(own, e.Name()))
		killed += len(b.Procs())
		_ = b.Kill() // what cannot be killed makes Remove fail, and the next start tries again
		waitEmpty(b.dir)
		_ = b.Remove()
	}
	return killed
}

func baseName(n int64) (string, error) {
	s, err := readStat(os.Getpid())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d-%s-%d-%d", basePrefix, os.Getpid(), s.start, pidNamespace(), n), nil
}

// stale reports whether the name is that of a base whose maker is gone. A maker in another pid namespace cannot
// be looked up from here, so its bases are left alone.
func stale(name string) bool {
	rest, ok := strings.CutPrefix(name, basePrefix)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "-")
	if len(parts) != 4 || parts[2] != strconv.FormatUint(pidNamespace(), 10) {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return false
	}
	s, err := readStat(pid)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		// hidepid hides other users' processes the same way: only our own directories can be judged so.
		return syscall.Kill(pid, 0) == syscall.ESRCH
	}
	return err == nil && (s.start != parts[1] || s.over())
}

func ownCgroup() (string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	path, ok := unifiedPath(string(text))
	if !ok {
		return "", errors.New("this process is in no cgroup2")
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	dir, ok := unifiedDir(parseMountinfo(string(mounts)), path)
	if !ok {
		return "", errors.New("no cgroup2 is mounted that shows this process's cgroup")
	}
	return dir, nil
}

func killCgroup(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "cgroup.kill"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("1")
	return err
}

func procsOf(dir string) []int {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	return parsePIDs(string(text))
}

func procsDeep(dir string) []int {
	pids := procsOf(dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			pids = append(pids, procsDeep(filepath.Join(dir, e.Name()))...)
		}
	}
	return pids
}

// removeTree removes a cgroup and the cgroups below it, deepest first, as far as they are empty.
func removeTree(dir string) {
	if syscall.Rmdir(dir) == nil {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			removeTree(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir)
}

func parsePIDs(text string) []int {
	var pids []int
	for _, word := range strings.Fields(text) {
		if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func unwrapPath(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// Holds reports whether the process is in one of the base's leaves. Hold a pidfd of the process across the call.
func (b *Base) Holds(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return false
	}
	path, ok := unifiedPath(string(text))
	return ok && strings.Contains(path+"/", "/"+filepath.Base(b.dir)+"/")
}
