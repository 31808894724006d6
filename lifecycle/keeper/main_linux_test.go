package keeper_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"murlua/lifecycle/keeper"
)

// roleVar chooses what the test binary does when it is started again as somebody's command.
const roleVar = "KEEPER_TEST_ROLE"

// promptly keeps a program with the race detector from taking a second to exit.
const promptly = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	if role := os.Getenv(roleVar); role != "" {
		play(role)
	}
	goleak.VerifyTestMain(m)
}

// play is a command under test. Roles that leave processes say "up" on standard output once everything runs.
func play(role string) {
	name, arg, _ := strings.Cut(role, ":")
	switch name {
	case "exit":
		code, _ := strconv.Atoi(arg)
		os.Exit(code)
	case "signal":
		n, _ := strconv.Atoi(arg)
		signal.Reset(syscall.Signal(n))
		limit := syscall.Rlimit{}
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit)
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		time.Sleep(10 * time.Second)
	case "plain":
		up()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		up()
	case "cleanup":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("up", os.Getpid())
		<-c
		os.Exit(42)
	case "setsid": // a grandchild in a session of its own
		spawn("hold", &syscall.SysProcAttr{Setsid: true}, os.Environ())
		up()
	case "daemon": // double fork: the daemon's parent is gone
		run("daemonize", &syscall.SysProcAttr{Setsid: true}, os.Environ())
		up()
	case "bare": // a daemon with nothing in its environment that leads back to us
		run("daemonize:bare", &syscall.SysProcAttr{Setsid: true}, os.Environ())
		up()
	case "daemonize":
		env := os.Environ()
		if arg == "bare" {
			env = nil
		}
		spawn("hold", &syscall.SysProcAttr{Setsid: true}, env)
		os.Exit(0)
	case "deafchild": // the leader leaves on TERM, its child in the same group does not
		spawn("deaf", nil, os.Environ())
		hold()
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		up()
	case "leaver": // the leader exits and leaves a child in its group that holds standard output
		spawn("hold", nil, os.Environ())
		fmt.Println("up", os.Getpid())
		os.Exit(3)
	case "bomb": // sixty processes, some of them still being forked while we say that we are up
		for range 3 {
			cmd := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt 19 ]; do setsid sleep 600 & i=$((i+1)); done; exec sleep 600")
			cmd.Env = []string{"PATH=/bin:/usr/bin"}
			if err := cmd.Start(); err != nil {
				fmt.Fprintln(os.Stderr, "bomb:", err)
			}
		}
		up()
	case "stopped":
		fmt.Println("up", os.Getpid())
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		hold()
	case "threadless": // the first thread ends, the process lives on
		go up()
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	case "host":
		host(arg)
	case "crowd":
		crowd()
	case "limited":
		limited(arg)
	case "leaky":
		leaky()
	case "foreground":
		foreground()
	case "hold":
		hold()
	default:
		fmt.Fprintln(os.Stderr, "unknown role", role)
		os.Exit(99)
	}
	os.Exit(0)
}

func init() {
	if os.Getenv(roleVar) == "threadless" {
		runtime.LockOSThread() // in init, so that it is the first thread
	}
}

func up() {
	fmt.Println("up", os.Getpid())
	hold()
}

func hold() { time.Sleep(10 * time.Minute); os.Exit(98) }

func spawn(role string, attr *syscall.SysProcAttr, env []string) {
	// The role goes by argument for the bare daemon's sake: nothing is in its environment.
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = append(env, roleVar+"="+role)
	if len(env) == 0 {
		cmd = exec.Command("/bin/sleep", "600")
		cmd.Env = []string{}
	}
	cmd.SysProcAttr = attr
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "spawn:", err)
	}
}

func run(role string, attr *syscall.SysProcAttr, env []string) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env, cmd.SysProcAttr, cmd.Stdout = append(env, roleVar+"="+role), attr, os.Stdout
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
	}
}
