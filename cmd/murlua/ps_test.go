package main

import (
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/running"
)

// A record is written by whoever runs as this user, a capsule's name among it.
func TestAListingShowsNoControlCharacters(t *testing.T) {
	record := running.Record{SessionID: "ses_0199c4e2f1b7712a9d3e4f5061728394", CapsuleName: "a\x1b[2J\nb\u202e", CapsuleVersion: "ü\x00", URL: "localhost:1\r"}
	got := table([]listed{{Record: record, Liveness: running.Liveness{State: running.Live}}}, time.Now())
	if strings.ContainsAny(got, "\x1b\r\x00\u202e") || strings.Count(got, "\n") != 2 || !strings.Contains(got, "@ü") {
		t.Errorf("shown: %q", got)
	}
}

// A listing has the columns that what is listed has something for.
func TestAListingHasTheColumnsThatAreNeeded(t *testing.T) {
	alone := listed{Record: running.Record{SessionID: "ses_1"}}
	member := listed{Record: running.Record{SessionID: "ses_2", FormationID: "frm_2", FormationMember: "api"}}
	named := member
	named.name = "dev"
	for want, live := range map[string][]listed{
		"SESSION CAPSULE STATUS DETACHED UPTIME URL":                       {alone},
		"SESSION CAPSULE STATUS DETACHED UPTIME FORMATION MEMBER URL":      {alone, member},
		"SESSION CAPSULE STATUS DETACHED UPTIME FORMATION NAME MEMBER URL": {alone, named},
	} {
		text := table(live, time.Now())
		heading, rows, _ := strings.Cut(text, "\n")
		if got := strings.Join(strings.Fields(heading), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if strings.Contains(want, "NAME") != strings.Contains(strings.Join(strings.Fields(rows), " "), "frm_2 dev api") {
			t.Errorf("rows:\n%s", rows)
		}
	}
}
