package process

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClassify(t *testing.T) {
	unreadable := errors.New("unreadable")
	id := Identity{PID: 4242, Start: "123"}
	for _, c := range []struct {
		name  string
		id    Identity
		held  bool
		token string
		err   error
		want  State
	}{
		{"nothing holds it, the token agrees", id, false, "123", nil, State{Gone, "no process holds pid 4242"}},
		{"nothing holds it, no token", id, false, "", unreadable, State{Gone, "no process holds pid 4242"}},
		{"the token agrees", id, true, "123", nil, State{Kind: Alive}},
		{"the token differs", id, true, "456", nil, State{Gone, "pid 4242 is held by a process that started at another time"}},
		{"nothing was recorded", Identity{PID: 4242}, true, "123", nil, State{Gone, "pid 4242 is held by a process that started at another time"}},
		{"no token", id, true, "", unreadable, State{Unverified, "pid 4242's start time could not be read"}},
		{"nothing was recorded and no token", Identity{PID: 4242}, true, "", unreadable, State{Unverified, "pid 4242's start time could not be read"}},
	} {
		if diff := cmp.Diff(c.want, Classify(c.id, c.held, c.token, c.err)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestThisProcessIsAlive(t *testing.T) {
	id, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	if id.PID != os.Getpid() || id.Start == "" || id.Origin.IsZero() {
		t.Errorf("identity is %+v", id)
	}
	for name, id := range map[string]Identity{
		"with its origin":    id,
		"without an origin":  {PID: id.PID, Start: id.Start},
		"without its inode":  {PID: id.PID, Start: id.Start, Origin: id.Origin.WithoutProcess()},
		"inode of no token":  {PID: id.PID, Start: id.Start, Origin: Origin{Boot: id.Origin.Boot, Inode: "1"}},
		"inode with no boot": {PID: id.PID, Start: id.Start, Origin: Origin{Inode: "1", Start: id.Start}},
	} {
		if state := Inspect(id); state != alive() {
			t.Errorf("%s: %+v", name, state)
		}
	}
}

func TestTheTokenIsReadTheSameTwice(t *testing.T) {
	first, err := StartToken(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := StartToken(os.Getpid()); err != nil || second != first || first == "" {
		t.Errorf("read %q, then %q, %v", first, second, err)
	}
}

func TestAnotherStartIsAnotherProcess(t *testing.T) {
	id, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	want := otherStart(id.PID)
	for _, start := range []string{"", "not-this-process", id.Start + "0", " " + id.Start} {
		altered := id
		altered.Start = start
		if got := Inspect(altered); got != want {
			t.Errorf("start %q with this origin: %+v", start, got)
		}
		if got := Inspect(Identity{PID: id.PID, Start: start}); got != want {
			t.Errorf("start %q without an origin: %+v", start, got)
		}
	}
	if id.Origin.Inode != "" {
		id.Origin.Inode += "0"
		if got := Inspect(id); got != want {
			t.Errorf("another inode: %+v", got)
		}
	}
}

func TestNumbersThatNoProcessHolds(t *testing.T) {
	for _, pid := range []int{0, -1, math.MinInt, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxInt} {
		if got := Inspect(Identity{PID: pid, Start: "42"}); got != noProcess(pid) {
			t.Errorf("pid %d: %+v", pid, got)
		}
		if ref, state := OpenIdentity(Identity{PID: pid, Start: "42"}); ref != nil || state.Kind != Gone {
			t.Errorf("pid %d could be opened: %+v", pid, state)
		}
		for name, err := range map[string]error{
			"Open":       second(Open(pid)),
			"Identify":   second(Identify(pid)),
			"StartToken": second(StartToken(pid)),
		} {
			if err == nil || name != "StartToken" && !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("%s(%d) gives %v", name, pid, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAnIdentityIsWrittenAsItsNumberAndStart(t *testing.T) {
	id, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	id.PID, id.Start = 7, "42"
	text, err := json.Marshal(id)
	if err != nil || string(text) != `{"pid":7,"process_start":"42"}` {
		t.Errorf("got %s, %v", text, err)
	}
	var kinds []string
	for _, kind := range []Kind{Unverified, Alive, Gone} {
		kinds = append(kinds, kind.String())
	}
	if strings.Join(kinds, " ") != "unverified alive gone" {
		t.Errorf("kinds are %v", kinds)
	}
}
