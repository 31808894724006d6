package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// transcript is what a prompt shows.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *transcript) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

// attachTo connects a prompt to the host of a session, and returns the guest too.
func attachTo(t *testing.T, s *Session) (*Remote, *Guest, *transcript) {
	t.Helper()
	here, there := net.Pipe()
	guest := Welcome(there, GuestOptions{
		Open: func(ctx context.Context, out, errs io.Writer) (*Console, error) {
			session, err := New(ctx, Options{Host: s.options.Host, Out: out})
			if err != nil {
				return nil, err
			}
			return &Console{Session: session, Out: out, Err: errs, SlowFrom: time.Hour}, nil
		},
		State: func(what string) (any, error) {
			if what == "" {
				return nil, errors.New("name something")
			}
			return map[string]string{"of": what}, nil
		},
	})
	served := make(chan error, 1)
	go func() { served <- guest.Serve(context.Background()) }()
	shown := &transcript{}
	remote := NewRemote(here, shown, shown)
	t.Cleanup(func() {
		_ = remote.Close()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return remote, guest, shown
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

func TestRemote(t *testing.T) {
	s, out := newSession(t, Options{})
	s.Eval(t.Context(), "value = 41")
	r, _, shown := attachTo(t, s)
	for _, step := range []struct {
		line string
		next Next
		want string
	}{
		{"value + 1", Again, "42\n"},
		{"local mine = { 1 }", Again, ""},
		{"print(mine[1], _)", Again, "1\t42\n"},
		{"x = {", More, ""},
		{"}", Again, ""},
		{"error('no')", Again, "input 5:1: no\n"},
		{":nosuch", Again, "there is no command :nosuch; :help lists them\n"},
		{":quit", Leave, ""},
	} {
		if got := r.Line(t.Context(), step.line); got != step.next {
			t.Errorf("%q is followed by %d, want %d", step.line, got, step.next)
		}
		if got := shown.take(); got != step.want {
			t.Errorf("%q shows %q, want %q", step.line, got, step.want)
		}
	}
	if out.Len() > 0 {
		t.Errorf("the host's own output has %q", out.String())
	}
	if got := s.Eval(t.Context(), "mine, x ~= nil").Values; !cmp.Equal(got, []string{"nil", "true"}) {
		t.Errorf("the host sees %v", got)
	}
}

func TestRemoteCompletesAndDrops(t *testing.T) {
	s, _ := newSession(t, Options{})
	r, _, _ := attachTo(t, s)
	r.Line(t.Context(), "peers = { coder = 1 }")
	r.Line(t.Context(), "x = {")
	if head, words := r.Complete(t.Context(), r.Pending()+"peers.co"); head != "x = {\npeers." || !cmp.Equal(words, []string{"coder"}) {
		t.Errorf("completes to %q, %q", head, words)
	}
	if !r.Drop() || r.Pending() != "" || r.Drop() {
		t.Error("the input was not dropped once")
	}
	if next := r.Line(t.Context(), "x"); next != Again {
		t.Errorf("after the drop: %d", next)
	}
}

func TestRemoteState(t *testing.T) {
	s, _ := newSession(t, Options{})
	r, _, _ := attachTo(t, s)
	if got, err := r.State(t.Context(), "frm_1"); err != nil || string(got) != `{"of":"frm_1"}` {
		t.Errorf("the state is %s, %v", got, err)
	}
	if _, err := r.State(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "name something") {
		t.Errorf("the refusal is %v", err)
	}
}

func TestRemoteInterrupts(t *testing.T) {
	s, _ := newSession(t, Options{})
	r, _, shown := attachTo(t, s)
	for _, line := range []string{"while true do end", "mur.sleep(600)"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if next := r.Line(ctx, line); next != Again || !strings.Contains(shown.take(), "interrupted") {
			t.Errorf("%s: %d", line, next)
		}
	}
	r.Line(t.Context(), "1")
	if got := shown.take(); got != "1\n" {
		t.Errorf("afterwards: %q", got)
	}
}

func TestSeveralGuestsAndOneThatGoes(t *testing.T) {
	s, _ := newSession(t, Options{})
	a, _, _ := attachTo(t, s)
	b, _, shown := attachTo(t, s)
	s.Eval(t.Context(), "ticks, ended = 0, false; mur.task.spawn(function() while not ended do ticks = ticks + 1 mur.sleep(0.001) end end)")
	evaluating := make(chan Next, 1)
	go func() {
		evaluating <- a.Line(context.Background(), "mur.defer(function() gone = true end) started = true while true do mur.sleep(0.001) end")
	}()
	eventually(t, "the evaluation began", func() bool {
		return cmp.Equal(s.Eval(t.Context(), "started").Values, []string{"true"})
	})
	_ = a.wire.conn.Close() // as when its process is killed
	if next := <-evaluating; next != Leave {
		t.Errorf("the guest that is gone: %d", next)
	}
	eventually(t, "its evaluation ended", func() bool { return cmp.Equal(s.Eval(t.Context(), "gone").Values, []string{"true"}) })
	before := s.Eval(t.Context(), "ticks").Values
	eventually(t, "the host's own task goes on", func() bool { return !cmp.Equal(s.Eval(t.Context(), "ticks").Values, before) })
	b.Line(t.Context(), "1 + 1")
	if got := shown.take(); got != "2\n" {
		t.Errorf("the other guest sees %q", got)
	}
	s.Eval(t.Context(), "ended = true")
}

func TestNotesReachAGuestAndNeverWait(t *testing.T) {
	s, _ := newSession(t, Options{})
	r, guest, shown := attachTo(t, s)
	guest.Note("something happened")
	eventually(t, "the note is shown", func() bool { return shown.take() == "something happened\n" })
	_ = r

	here, there := net.Pipe() // somebody who never reads
	deaf := Welcome(there, GuestOptions{})
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- deaf.Serve(ctx) }()
	for i := range 10 * waitingNotes {
		deaf.Note(fmt.Sprint(i))
	}
	cancel()
	<-served
	here.Close()
}

func TestAGuestThatTalksNonsenseIsShownOut(t *testing.T) {
	for _, text := range []string{"nonsense\n", `{"op":"nosuch"}` + "\n"} {
		here, there := net.Pipe()
		guest := Welcome(there, GuestOptions{Open: func(context.Context, io.Writer, io.Writer) (*Console, error) { return &Console{}, nil }})
		served := make(chan error, 1)
		go func() { served <- guest.Serve(t.Context()) }()
		if _, err := io.WriteString(here, text); err != nil {
			t.Fatal(err)
		}
		if err := <-served; err == nil {
			t.Errorf("%q ended without an error", text)
		}
		here.Close()
	}
}

func TestRemoteNoticesTheEnd(t *testing.T) {
	here, there := net.Pipe()
	shown := &transcript{}
	r := NewRemote(here, shown, shown)
	there.Close()
	<-r.Gone()
	if next := r.Line(t.Context(), "1"); next != Leave {
		t.Errorf("a line to nobody is followed by %d", next)
	}
	if _, err := r.State(t.Context(), "x"); !errors.Is(err, ErrGone) {
		t.Errorf("a question to nobody: %v", err)
	}
	_ = r.Close()
}
