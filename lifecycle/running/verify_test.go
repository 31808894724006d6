package running

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// answering is a verifier whose doors all say the same.
func answering(session string, err error) (Verifier, *atomic.Int32) {
	asked := new(atomic.Int32)
	return Verifier{Probe: func(context.Context, string, credential.Secret) (string, error) {
		asked.Add(1)
		return session, err
	}}, asked
}

func TestVerify(t *testing.T) {
	self := current(t)
	stale := self
	stale.Start += "0"
	hidden := self
	hidden.Origin.PIDNamespace = "pid:[1]"
	doorless := ours(self)
	doorless.URL = ""
	for _, c := range []struct {
		name   string
		record Record
		answer string // "own" for the record's session
		err    error
		want   Liveness
		asked  int32
	}{
		{"nothing holds the pid", plain(process.Identity{PID: 0, Start: "1"}), "own", nil, Liveness{Gone, "no process holds pid 0"}, 0},
		{"another process", ours(stale), "own", nil, Liveness{Gone, fmt.Sprintf("pid %d is held by a process that started at another time", self.PID)}, 0},
		{"another place", ours(hidden), "own", nil, Liveness{Unreachable, fmt.Sprintf("pid %d was recorded in another pid namespace", self.PID)}, 0},
		{"no door", doorless, "", errors.New("not to be asked"), Liveness{State: Live}, 0},
		{"its own session", ours(self), "own", nil, Liveness{State: Live}, 1},
		{"as murmur writes it", plain(self), "own", nil, Liveness{State: Live}, 1},
		{"another session", ours(self), sessionText, nil, Liveness{Unreachable, "the capsule at localhost:1 answers for session " + sessionText}, 1},
		{"no session id", ours(self), "\x1b[2J", nil, Liveness{Unreachable, `the capsule at localhost:1 answers for session "\x1b[2J"`}, 1},
		{"no answer", ours(self), "", errors.New("connection refused"), Liveness{Unreachable, "connection refused"}, 1},
	} {
		answer := c.answer
		if answer == "own" {
			answer = string(c.record.SessionID)
		}
		verifier, asked := answering(answer, c.err)
		if diff := cmp.Diff(c.want, verifier.Verify(t.Context(), c.record)); diff != "" || asked.Load() != c.asked {
			t.Errorf("%s: asked %d times, %s", c.name, asked.Load(), diff)
		}
	}
}

func TestWithoutAProbeNoDoorAnswers(t *testing.T) {
	if got := (Verifier{}).Verify(t.Context(), ours(current(t))); got != (Liveness{Unreachable, "its door was not asked"}) {
		t.Errorf("got %+v", got)
	}
}

func TestTheProbeGetsTheDoorAndItsToken(t *testing.T) {
	record := ours(current(t))
	record.DoorToken = credential.NewSecret("mdt1.x")
	verifier := Verifier{Probe: func(_ context.Context, url string, token credential.Secret) (string, error) {
		if url != record.URL || token.Reveal() != "mdt1.x" {
			t.Errorf("asked %q with %q", url, token.Reveal())
		}
		return string(record.SessionID), nil
	}}
	if got := verifier.Verify(t.Context(), record); got.State != Live {
		t.Errorf("got %+v", got)
	}
}

// A door that nobody listens on: the process is there, so the record is kept.
func TestALiveProcessBehindASilentPortIsUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	record := ours(current(t))
	record.URL = listener.Addr().String()
	_ = listener.Close()
	verifier := Verifier{Probe: func(ctx context.Context, url string, _ credential.Secret) (string, error) {
		_, err := new(net.Dialer).DialContext(ctx, "tcp", url)
		return "", err
	}}
	if got := verifier.Verify(t.Context(), record); got.State != Unreachable || !strings.Contains(got.Reason, "refused") {
		t.Errorf("got %+v", got)
	}
}

func TestVerifyAllKeepsTheOrderAndTheBound(t *testing.T) {
	self := current(t)
	var records []Record
	for i := range 100 {
		record := ours(self)
		record.URL = fmt.Sprint(i)
		records = append(records, record)
	}
	var now, most atomic.Int32
	verifier := Verifier{Parallel: 7, Probe: func(_ context.Context, url string, _ credential.Secret) (string, error) {
		at := now.Add(1)
		defer now.Add(-1)
		for {
			seen := most.Load()
			if at <= seen || most.CompareAndSwap(seen, at) {
				return "", errors.New(url)
			}
		}
	}}
	for i, verdict := range verifier.VerifyAll(t.Context(), records) {
		if verdict != (Liveness{Unreachable, fmt.Sprint(i)}) {
			t.Errorf("record %d: %+v", i, verdict)
		}
	}
	if most.Load() > 7 {
		t.Errorf("%d at once", most.Load())
	}
}

func TestASignalReachesTheProcessOfTheRecord(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		c := start(t, "wait")
		record := ours(c.identity(t))
		got := Signal(record, sig)
		if got.Kind != Sent || got.Reason != "" {
			t.Errorf("got %+v", got)
		}
		c.ends(t)
		// It is a zombie now, then nothing at all.
		for range 2 {
			if got := Signal(record, sig); got != (Outcome{Kind: AlreadyGone, Reason: fmt.Sprintf("no process holds pid %d", c.pid())}) {
				t.Errorf("after its end: %+v", got)
			}
			c.reap()
		}
	}
}

// This process would die of a signal that it were sent.
func TestNoSignalAtAProcessThatIsNotTheOne(t *testing.T) {
	self := current(t)
	altered := map[string]process.Identity{
		"another start":       {PID: self.PID, Start: self.Start + "0", Origin: self.Origin},
		"another start alone": {PID: self.PID, Start: "1"},
		"no start":            {PID: self.PID},
		"no process":          {PID: 0, Start: self.Start},
		"a group":             {PID: -self.PID, Start: self.Start},
	}
	for name, identity := range altered {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			if got := SignalIdentity(identity, sig); got.Kind != AlreadyGone || got.Method != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	foreign := self
	foreign.Origin.PIDNamespace = "pid:[1]"
	want := Outcome{Kind: Refused, Reason: fmt.Sprintf("pid %d was recorded in another pid namespace", self.PID)}
	if got := SignalIdentity(foreign, syscall.SIGKILL); got != want {
		t.Errorf("another place: %+v", got)
	}
}

func TestPruneTakesItsOwnEvidence(t *testing.T) {
	h := newHome(t)
	self := current(t)
	foreign := self
	foreign.Origin.PIDNamespace = "pid:[1]"
	stale := self
	stale.Start += "0"
	for name, c := range map[string]struct {
		identity process.Identity
		pruned   bool
	}{
		"alive":   {self, false},
		"foreign": {foreign, false},
		"stale":   {stale, true},
	} {
		record := write(t, h, ours(c.identity))
		if _, err := WriteControl(h, record.SessionID, fullest().DoorToken); err != nil {
			t.Fatal(err)
		}
		err := Prune(h, record)
		if (err == nil) != c.pruned || err != nil && !errors.Is(err, ErrNotGone) {
			t.Errorf("%s: %v", name, err)
		}
		if exists(record.Path) == c.pruned || exists(ControlLocation(h, record.SessionID)) == c.pruned {
			t.Errorf("%s: the files are there: %v", name, !c.pruned)
		}
		if c.pruned {
			if err := Prune(h, record); err != nil {
				t.Errorf("%s: a second time: %v", name, err)
			}
		}
	}
}

// The file may say something else by the time of pruning, and a file may name another session than its
// own name does.
func TestPruneRemovesOnlyWhatTheEvidenceIsAbout(t *testing.T) {
	h := newHome(t)
	self := current(t)
	dead := process.Identity{PID: self.PID, Start: "1"}

	replaced := write(t, h, plain(dead))
	alive := replaced
	alive.SetProcess(self)
	write(t, h, alive)
	if _, err := WriteControl(h, alive.SessionID, fullest().DoorToken); err != nil {
		t.Fatal(err)
	}
	if err := Prune(h, replaced); err != nil || !exists(replaced.Path) || !exists(ControlLocation(h, alive.SessionID)) {
		t.Errorf("a replaced record: %v", err)
	}

	// A stale copy under another name of a session that runs.
	copied := alive
	copied.SetProcess(dead)
	text, err := Encode(copied)
	if err != nil {
		t.Fatal(err)
	}
	copied.Path = put(t, h, "copy.json", string(text))
	if err := Prune(h, copied); err != nil || exists(copied.Path) {
		t.Errorf("the copy: %v", err)
	}
	if !exists(Location(h, alive.SessionID)) || !exists(ControlLocation(h, alive.SessionID)) {
		t.Error("what belongs to the running session was removed")
	}

	older, err := Read(put(t, h, sessionText+".json", strings.Replace(nineKeys, `"pid": 7`, `"pid": 0`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := Prune(h, older); err == nil || !exists(older.Path) {
		t.Errorf("an older release's record: %v", err)
	}

	bad := plain(dead)
	bad.SessionID = id.Session("../" + sessionText)
	if err := Prune(h, bad); err == nil {
		t.Error("a path was taken for a session")
	}
}
