//go:build unix

package formation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"murlua/lifecycle/keeper"
)

// standInEnv makes the test binary a member: its value is what the member does, one step a line.
const standInEnv = "FORMATION_TEST_STEPS"

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	if steps := os.Getenv(standInEnv); steps != "" {
		var s standIn
		for _, step := range strings.Split(steps, "\n") {
			verb, rest, _ := strings.Cut(step, " ")
			s.do(verb, rest)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// standIn is a process that stands in for a capsule.
type standIn struct{}

func (s *standIn) do(verb, rest string) {
	switch verb {
	case "stdout":
		fmt.Println(rest)
	case "stderr":
		fmt.Fprintln(os.Stderr, rest)
	case "count": // count N: so many numbered lines on standard output
		n, _ := strconv.Atoi(rest)
		for i := range n {
			fmt.Println("line", i)
		}
	case "flood": // flood N: so many bytes without an end of line
		n, _ := strconv.Atoi(rest)
		block := strings.Repeat("x", 1<<16)
		for n > 0 {
			k := min(n, len(block))
			fmt.Print(block[:k])
			n -= k
		}
	case "exit":
		code, _ := strconv.Atoi(rest)
		os.Exit(code)
	case "kill": // kill N: ends by that signal
		n, _ := strconv.Atoi(rest)
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		select {}
	case "close": // close N: a descriptor
		n, _ := strconv.Atoi(rest)
		_ = syscall.Close(n)
	case "report": // report SESSION URL: a readiness line
		session, url, _ := strings.Cut(rest, " ")
		s.report(session, url)
	case "door": // door SESSION: serves a card of that session and reports it
		s.report(rest, "localhost:"+strconv.Itoa(serveCard(func() string { return rest })))
	case "sigterm": // sigterm FILE: remembers a SIGTERM in the file and lives on
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, syscall.SIGTERM)
		go func() {
			for range caught {
				_ = os.WriteFile(rest, []byte("TERM\n"), 0o600)
			}
		}()
	case "dump": // dump FOLDER: argv, environment and open descriptors, then what comes on the channel
		s.dump(rest)
	case "child": // child STEPS: starts another stand-in of its process group, with steps separated by ;
		s.child(rest, nil)
	case "escape": // the same in a session of its own
		s.child(rest, &syscall.SysProcAttr{Setsid: true})
	case "wait": // wait FILE: until it exists
		for {
			if _, err := os.Stat(rest); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "await": // until the lifeline ends
		fd, _ := strconv.Atoi(os.Getenv("MURMUR_FORMATION_LIFELINE"))
		_, _ = io.Copy(io.Discard, os.NewFile(uintptr(fd), "lifeline"))
	case "deaf":
		select {}
	case "sleep":
		d, _ := time.ParseDuration(rest)
		time.Sleep(d)
	default:
		panic("no step " + verb)
	}
}

func (s *standIn) report(session, url string) {
	line, _ := json.Marshal(map[string]any{"formation_id": os.Getenv("MURMUR_FORMATION_ID"), "session_id": session, "url": url})
	fmt.Println(string(line))
}

func (s *standIn) child(steps string, attributes *syscall.SysProcAttr) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), standInEnv+"="+strings.ReplaceAll(steps, ";", "\n"))
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attributes
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "child", cmd.Process.Pid)
}

func (s *standIn) dump(folder string) {
	var open []string
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		// What Go's runtime opens for itself in every process is not what the process was handed.
		own := strings.HasPrefix(target, "/proc/") || strings.HasPrefix(target, "/sys/fs/cgroup/") || strings.HasPrefix(target, "anon_inode")
		if err == nil && !own {
			open = append(open, entry.Name()+" "+target)
		}
	}
	write := func(name, text string) {
		_ = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)
	}
	write("argv", strings.Join(os.Args, "\n"))
	write("env", strings.Join(os.Environ(), "\n"))
	write("fds", strings.Join(open, "\n"))
	fd, _ := strconv.Atoi(os.Getenv("MURMUR_FORMATION_CHANNEL"))
	channel := os.NewFile(uintptr(fd), "channel")
	go func() {
		file, _ := os.Create(filepath.Join(folder, "channel"))
		_, _ = io.Copy(file, channel)
	}()
}

// serveCard serves an agent card with the session that answer returns, on a free port, for the life of the
// process; no session gives an empty card.
func serveCard(answer func() string) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = http.Serve(listener, cardHandler(answer)) }()
	return listener.Addr().(*net.TCPAddr).Port
}

func cardHandler(answer func() string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Connection", "close")
		session := answer()
		if session == "" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "stand-in", "capabilities": map[string]any{"extensions": []any{
			map[string]any{
				"uri":    "https://docs.murmur.nexus/reference/agent-card/#murmur-capsule-v1",
				"params": map[string]any{"sessionId": session},
			},
		}}})
	})
}
