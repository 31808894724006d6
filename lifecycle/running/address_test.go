package running

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/id"
	"murlua/platform/process"
)

func TestFind(t *testing.T) {
	h := newHome(t)
	self := current(t)
	foreign, stale := self, self
	foreign.Origin.PIDNamespace = "pid:[1]"
	stale.Start += "0"
	add := func(session string, identity process.Identity) Record {
		record := ours(identity)
		record.SessionID = id.Session("ses_" + session)
		return write(t, h, record)
	}
	const zeros = "00000000000000000000000000"
	oldest := add("000001"+zeros, self)
	middle := add("000002"+zeros[:22]+"abcd", foreign)
	newest := add("000003"+zeros[:22]+"abce", self)
	// Copies under other names, before and after their own, are no other sessions.
	for _, name := range []string{"a.json", "z.json"} {
		text, err := Encode(newest)
		if err != nil {
			t.Fatal(err)
		}
		put(t, h, name, string(text))
	}
	ended := func() Record { return add("000004"+zeros[:22]+"dead", stale) }
	for _, c := range []struct {
		address string
		want    Record
		problem AddressProblem
		text    string
	}{
		{"@1", newest, "", ""},
		{"@2", middle, "", ""},
		{"@3", oldest, "", ""},
		{"@4", Record{}, NoneRuns, "3 run"},
		{"@0", Record{}, Malformed, "@1 is the newest"},
		{"@", Record{}, Malformed, "@1 is the newest"},
		{"@-1", Record{}, Malformed, "@1 is the newest"},
		{"@99999999999999999999", Record{}, Malformed, "@1 is the newest"},
		{string(oldest.SessionID), oldest, "", ""},
		{strings.ToUpper(string(oldest.SessionID)), oldest, "", ""},
		{"abcd", middle, "", ""},
		{"ABCE", newest, "", ""},
		{"bce", Record{}, Malformed, "at least 4"},
		{"", Record{}, Malformed, "at least 4"},
		{"0000", oldest, "", ""},
		{"ffff", Record{}, NoneRuns, `cannot find session "ffff": none that runs has this id`},
		{"dead", Record{}, Ended, fmt.Sprintf("ses_000004%sdead is not running: pid %d is held by a process that started at another time", zeros[:22], self.PID)},
		{"/tmp/abcd", Record{}, Malformed, "not by a file"},
		{"localhost:8080", Record{}, Malformed, "not by a file"},
		{"abcd.jsonl", Record{}, Malformed, "not by a file"},
		{"\x1b[2Jabcd", Record{}, NoneRuns, `"\x1b[2Jabcd"`},
	} {
		stale := ended()
		got, err := Find(h, c.address)
		if diff := cmp.Diff(c.want, got, secrets); diff != "" {
			t.Errorf("%q: %s", c.address, diff)
		}
		var problem *AddressError
		if errors.As(err, &problem) != (c.problem != "") || problem != nil && (problem.Problem != c.problem || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%q: %v", c.address, err)
		}
		if c.problem != Malformed && exists(stale.Path) {
			t.Errorf("%q: the record of what has ended was not pruned", c.address)
		}
	}
	add("000005"+zeros[:22]+"abcd", self)
	_, err := Find(h, "abcd")
	var problem *AddressError
	if !errors.As(err, &problem) || problem.Problem != Ambiguous || len(problem.Sessions) != 2 {
		t.Errorf("two of one end: %v", err)
	}
}
