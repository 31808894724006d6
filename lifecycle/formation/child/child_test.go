//go:build unix

package child_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"murlua/lifecycle/formation/child"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/lifeline"
)

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// lines gathers what a child writes.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(some child.Lines) {
	l.mu.Lock()
	defer l.mu.Unlock()
	some.Block.Lines(func(line []byte) { l.all = append(l.all, string(line)) })
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// eachWay runs the test with a keeper and without one: what is common to both is what a formation relies on.
func eachWay(t *testing.T, test func(t *testing.T, k *keeper.Keeper)) {
	t.Run("direct", func(t *testing.T) { test(t, nil) })
	t.Run("kept", func(t *testing.T) {
		k := keeper.New(keeper.Options{Program: os.Args[0]})
		defer func() {
			if err := k.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		test(t, k)
	})
}

func shell(k *keeper.Keeper, out *lines, script string) child.Spec {
	return child.Spec{
		Name: "sh", Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(), OnLines: out.add,
		Signal: syscall.SIGTERM, Grace: 10 * time.Second, Keeper: k,
	}
}

func start(t *testing.T, s child.Spec) *child.Child {
	t.Helper()
	c, err := child.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	go c.Attend(func() {}) // until it is reaped
	t.Cleanup(func() { c.Kill() })
	return c
}

// wrote waits until the child has written the text.
func wrote(t *testing.T, c *child.Child, text string) {
	t.Helper()
	next := 0
	for {
		lines, n, more := c.Log().Since(next)
		next = n
		for _, line := range lines {
			if strings.Contains(line.Line, text) {
				return
			}
		}
		select {
		case <-more:
		case <-time.After(time.Minute):
			t.Fatalf("it did not write %q", text)
		}
	}
}

func TestHowAProcessEndsIsTold(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		for script, want := range map[string]child.Status{
			"exit 0": {}, "exit 7": {Code: 7}, "kill -9 $$": {Code: -1, Signal: syscall.SIGKILL}, "kill $$": {Code: -1, Signal: syscall.SIGTERM},
		} {
			c := start(t, shell(k, &lines{}, script))
			<-c.Reaped()
			if got := c.Status(); got != want {
				t.Errorf("%q ended with %v, want %v", script, got, want)
			}
			if rung := c.StopReport().Rung; rung != child.RungGone {
				t.Errorf("%q: the rung is %q", script, rung)
			}
			// A stop of what has ended changes nothing.
			if got := c.Stop(t.Context()); got.Rung != child.RungGone {
				t.Errorf("%q: a late stop says %+v", script, got)
			}
		}
	})
}

func TestAStopEscalates(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		for _, test := range []struct {
			name, script string
			grace        time.Duration
			rung         string
			signal       syscall.Signal
		}{
			{"it ends by its signal", "echo up; exec sleep 600", time.Minute, child.RungSignal, syscall.SIGTERM},
			{"it ends in order", `trap "exit 0" TERM; echo up; while :; do sleep 0.01; done`, time.Minute, child.RungSignal, 0},
			{"it is deaf", `trap "" TERM; echo up; while :; do sleep 600; done`, 100 * time.Millisecond, child.RungKill, syscall.SIGKILL},
		} {
			spec := shell(k, &lines{}, test.script)
			spec.Grace = test.grace
			var rungs []string
			spec.OnRung = func(rung string) { rungs = append(rungs, rung) }
			c := start(t, spec)
			wrote(t, c, "up")
			report := c.Stop(t.Context())
			if report.Rung != test.rung || c.Status().Signal != test.signal {
				t.Errorf("%s: rung %q, status %v", test.name, report.Rung, c.Status())
			}
			if rungs[0] != child.RungSignal || rungs[len(rungs)-1] != test.rung {
				t.Errorf("%s: rungs %v", test.name, rungs)
			}
		}
	})
}

func TestTheEndOfAContextCutsTheGrace(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		spec := shell(k, &lines{}, `trap "" TERM; echo up; while :; do sleep 600; done`)
		spec.Grace = time.Hour
		c := start(t, spec)
		wrote(t, c, "up")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if report := c.Stop(ctx); report.Rung != child.RungKill {
			t.Errorf("the stop says %+v", report)
		}
	})
}

func TestALifelineIsAsked(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		line, err := lifeline.New()
		if err != nil {
			t.Fatal(err)
		}
		channel, err := child.OpenChannel([]byte("first\n"), []byte("second\n"))
		if err != nil {
			t.Fatal(err)
		}
		out := &lines{}
		spec := shell(k, out, `read a <&4; read b <&4; echo "$a $b"; read c <&4; echo "$c"; cat <&3; exit 5`)
		spec.Signal, spec.Lifeline, spec.Channel = 0, line, channel
		c := start(t, spec)
		wrote(t, c, "first second")
		if err := c.Send([]byte("third\n")); err != nil {
			t.Fatal(err)
		}
		wrote(t, c, "third")
		report := c.Stop(t.Context())
		if report.Rung != child.RungLifeline || c.Status().Code != 5 {
			t.Errorf("rung %q, status %v", report.Rung, c.Status())
		}
		if err := c.Send([]byte("late\n")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a channel of a gone process took a line: %v", err)
		}
	})
}

// A process in the group that its leader leaves behind is ended, and does not hold up the end of the output.
func TestWhatIsLeftInTheGroupIsEnded(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		c := start(t, shell(k, &lines{}, "sleep 600 & echo $!; exit 3"))
		<-c.Reaped()
		tail := c.Log().Tail()
		if len(tail) != 1 || c.Status().Code != 3 {
			t.Fatalf("it wrote %v and ended with %v", tail, c.Status())
		}
		pid, err := strconv.Atoi(tail[0])
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(time.Minute)
		for syscall.Kill(pid, 0) == nil && !zombie(pid) {
			if time.Now().After(deadline) {
				t.Fatal("it is still there")
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// zombie reports whether the process waits for whoever adopted it.
func zombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

func TestTheReadinessLineIsNotOutput(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		out := &lines{}
		spec := shell(k, out, `printf '{"a":1}\r\nrest\nno end'; echo err >&2`)
		spec.Report = true
		c := start(t, spec)
		if line, ok := <-c.Report(); !ok || string(line) != `{"a":1}` {
			t.Errorf("the report is %q, %v", line, ok)
		}
		<-c.Reaped()
		if _, ok := <-c.Report(); ok {
			t.Error("there is a second report")
		}
		if text := out.text(); !strings.Contains(text, "rest") || !strings.Contains(text, "no end") || strings.Contains(text, "{") {
			t.Errorf("it wrote %q", text)
		}
		if tail := c.Log().StderrTail(); len(tail) != 1 || tail[0] != "err" {
			t.Errorf("the tail is %q", tail)
		}
	})
}

func TestWhatCannotBeStartedLeavesNothing(t *testing.T) {
	eachWay(t, func(t *testing.T, k *keeper.Keeper) {
		line, err := lifeline.New()
		if err != nil {
			t.Fatal(err)
		}
		channel, err := child.OpenChannel()
		if err != nil {
			t.Fatal(err)
		}
		spec := shell(k, &lines{}, "")
		spec.Path, spec.Lifeline, spec.Channel = "/nonexistent/program", line, channel
		if _, err := child.Start(t.Context(), spec); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the error is %v", err)
		}
		if line.Reader() != nil || !errors.Is(channel.Send(nil), os.ErrClosed) {
			t.Error("what it was to be handed is open")
		}
	})
}
