package main

import (
	"path/filepath"
	"testing"
)

// The suites in tests/lua, as a user runs them.
func TestTheLuaSuites(t *testing.T) {
	suites, err := filepath.Abs("../../tests/lua")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	m := newMurlua(t, home, "test", "--jobs", "2", suites)
	if code := m.run(t); code != 0 {
		t.Errorf("exit code %d\n%s\n%s", code, m.stdout.String(), m.stderr.String())
	}
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
