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
	got := table([]listed{{record, running.Liveness{State: running.Live}}}, time.Now())
	if strings.ContainsAny(got, "\x1b\r\x00\u202e") || strings.Count(got, "\n") != 2 || !strings.Contains(got, "@ü") {
		t.Errorf("shown: %q", got)
	}
}
