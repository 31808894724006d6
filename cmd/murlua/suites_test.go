package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The suites in tests/lua, run inside of this process, so that coverage and the race detector see what they do.
func TestTheLuaSuites(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	out, err := os.Create(filepath.Join(dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	workdir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{
		args: []string{"test", "--jobs", "2", "--quiet", "tests/lua"}, environ: append(os.Environ(), asCommand+"=1", "HOME="+home),
		stdin: nothing, stdout: out, stderr: out, workdir: workdir, executable: testBinary(t),
		openSignals: func() (<-chan os.Signal, func()) { return nil, func() {} },
	}
	if code := run(o); code != exitOK {
		report, _ := os.ReadFile(out.Name())
		t.Errorf("exit code %d\n%s", code, report)
	}
	if left := processesWith(t, "HOME="+home); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
