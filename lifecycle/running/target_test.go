package running

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/id"
)

func TestFindTarget(t *testing.T) {
	h := newHome(t)
	self := current(t)
	stale := self
	stale.Start += "0"
	const zeros = "0000000000000000000000000000"
	add := func(session, formation string, gone bool) {
		record := ours(self)
		if gone {
			record = ours(stale)
		}
		record.SessionID = id.Session("ses_" + session)
		if formation != "" {
			record.FormationID, record.FormationMember = id.Formation("frm_"+formation), "a"
		}
		write(t, h, record)
	}
	one, two, over, shared := zeros+"aaaa", "1234"+zeros[:24]+"bbbb", zeros+"cccc", zeros+"eeee"
	add(zeros+"0001", one, false)
	add(zeros+"0002", one, false) // two members are one formation
	add(zeros+"0003", two, false)
	add(zeros+"0004", over, true)
	add(shared, "2222"+zeros[:24]+"eeee", false)
	kept := id.Formation("frm_" + "3333" + zeros[:24] + "dddd")
	again := id.Formation("frm_" + "4444" + zeros[:24] + "bbbb") // ends as one that runs
	for _, c := range []struct {
		address string
		kept    []id.Formation
		want    string
		problem AddressProblem
		text    string
	}{
		{"aaaa", nil, "frm_" + one, "", ""},
		{"00AAAA", nil, "frm_" + one, "", ""},
		{"frm_aaaa", nil, "frm_" + one, "", ""},
		{"frm_1234", nil, "frm_" + two, "", ""},
		{"1234", nil, "", NoneRuns, "none that runs"}, // a beginning says what it is of
		{"frm_" + over, nil, "frm_" + over, "", ""},   // a whole id needs nobody who runs
		{"0003", nil, "ses_" + zeros + "0003", "", ""},
		{"@1", nil, "ses_" + shared, "", ""},
		{"eeee", nil, "", Ambiguous, "session or formation"},
		{"frm_eeee", nil, "frm_2222" + zeros[:24] + "eeee", "", ""},
		{"frm_0000", nil, "frm_" + one, "", ""}, // the formation that has ended does not count
		{"frm_12", nil, "", Malformed, "at least 4"},
		{"frm_nothere", nil, "", Malformed, `cannot find formation "frm_nothere": the id of a formation is frm_ and 32 hex digits`},
		{"cccc", nil, "", NoneRuns, `cannot find session or formation "cccc": none that runs has this name or id`},
		{"frm_cccc", nil, "", NoneRuns, `cannot find formation "frm_cccc": none that runs has this id`},
		{"dddd", nil, "", NoneRuns, "none that runs"},
		{"dddd", []id.Formation{kept}, string(kept), "", ""},
		{"frm_3333", []id.Formation{kept}, string(kept), "", ""},
		{"bbbb", []id.Formation{again}, "frm_" + two, "", ""}, // what runs comes first
		{"frm_dddd", []id.Formation{kept, "frm_" + id.Formation(zeros+"dddd")}, "", Ambiguous, "2 have such an id"},
	} {
		found, err := FindTarget(h, c.address, c.kept...)
		got := string(found.Formation)
		if got == "" {
			got = string(found.Session.SessionID)
		}
		problem, _ := errors.AsType[*AddressError](err)
		switch {
		case c.problem == "" && (err != nil || got != c.want):
			t.Errorf("%q: got %q, %v, want %q", c.address, got, err, c.want)
		case c.problem != "" && (problem == nil || problem.Problem != c.problem || !strings.Contains(err.Error(), c.text)):
			t.Errorf("%q: got %q, %v, want %s with %q", c.address, got, err, c.problem, c.text)
		}
	}
	_, err := FindTarget(h, "eeee")
	both, _ := errors.AsType[*AddressError](err)
	if diff := cmp.Diff([]string{"ses_" + shared, "frm_2222" + zeros[:24] + "eeee"}, append(both.Sessions, both.Formations...)); diff != "" {
		t.Errorf("both (-want +got):\n%s", diff)
	}
}

// A name is an address like the end of an id; what both name is refused.
func TestFindTargetByName(t *testing.T) {
	h := newHome(t)
	record := ours(current(t))
	record.SessionID, record.FormationID, record.FormationMember = "ses_"+zeros+"5555eeee", "frm_"+zeros+"5555aaaa", "a"
	write(t, h, record)
	for name, formation := range map[string]id.Formation{
		"dev": "frm_" + zeros + "00000001", "aaaa": "frm_" + zeros + "00000002", "eeee": "frm_" + zeros + "00000003", "dead": "frm_" + zeros + "0000dead",
	} {
		named, err := claim.Take(t.Context(), h, name, formation)
		if err != nil {
			t.Fatal(err)
		}
		defer named.Release()
	}
	for address, want := range map[string]string{
		"dev":      "frm_" + zeros + "00000001",
		"dead":     "frm_" + zeros + "0000dead",
		"5555aaaa": "frm_" + zeros + "5555aaaa",
		"aaaa":     `cannot find session or formation "aaaa": a formation has this name, and another id ends so: frm_` + zeros + "00000002 frm_" + zeros + "5555aaaa",
		"eeee":     `cannot find session or formation "eeee": a formation has this name, and another id ends so: ses_` + zeros + "5555eeee frm_" + zeros + "00000003",
		"DEV":      `cannot find session "DEV": the end of a session id needs at least 4 characters: `,
		"no":       `cannot find session or formation "no": none that runs has this name, and the end of a session id needs at least 4 characters: `,
		"nobody":   `cannot find session or formation "nobody": none that runs has this name or id: `,
	} {
		target, err := FindTarget(h, address, "frm_"+zeros+"0000dead")
		got := string(target.Formation)
		if problem, ok := errors.AsType[*AddressError](err); ok {
			got = err.Error() + ": " + strings.Join(append(problem.Sessions, problem.Formations...), " ")
		}
		if got != want {
			t.Errorf("%s: got %s, %v, want %s", address, got, err, want)
		}
	}
}

const zeros = "000000000000000000000000"
