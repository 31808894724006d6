//go:build linux

// Package interop_test runs this program and the real mur side by side: each lists, stops, calls and launches what the
// other runs. It needs mur, which the environment variable MURLUA_MUR names; without it every test is skipped.
package interop_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

var (
	mur    string // the real one; "" when it is not there
	murlua string // built for these tests
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == harnessName {
		os.Exit(harness(os.Args[1:]))
	}
	os.Exit(run(m))
}

// run makes the program, and this process the one to which everything comes that loses its parent: what is left of a test
// cannot be missed.
func run(m *testing.M) int {
	if mur = os.Getenv("MURLUA_MUR"); mur == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	murlua = filepath.Join(dir, "murlua")
	if out, err := exec.Command("go", "build", "-o", murlua, "murlua/cmd/murlua").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("cannot build murlua: %v\n%s", err, out))
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	return m.Run()
}
