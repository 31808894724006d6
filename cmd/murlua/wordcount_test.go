package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The example's answer is compared with a count made by the tools that people count words with.
func TestWordCountAgreesWithTrSortUniq(t *testing.T) {
	files := []string{"../../README.md", "../../go.mod", "../../LICENSE"}
	home := t.TempDir()
	m := newMurlua(t, home, append([]string{"run", filepath.Join(examples(t), "wordcount.lua")}, files...)...)
	if code := m.run(t); code != 0 {
		t.Fatalf("exit code %d, stderr:\n%s", code, m.stderr.String())
	}
	// A newline between two files keeps their words apart, as the example does.
	count := `for f; do cat "$f"; echo; done | LC_ALL=C tr -cs 'A-Za-z' '\n' | LC_ALL=C tr A-Z a-z | grep . | LC_ALL=C sort | uniq -c |
		LC_ALL=C sort -k1,1nr -k2 | head -10 | awk '{printf "%7d %s\n", $1, $2}'`
	want, err := exec.Command("sh", append([]string{"-c", count, "sh"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(want), "\n") != 10 {
		t.Fatalf("the count by other means is not ten lines:\n%s", want)
	}
	if diff := cmp.Diff(string(want), m.stdout.String()); diff != "" {
		t.Errorf("ten most frequent words (-tools +murlua):\n%s\nstderr:\n%s", diff, m.stderr.String())
	}
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".murmur/running/*")); len(left) > 0 {
		t.Errorf("left in the running folder: %v", left)
	}
}
