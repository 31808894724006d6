//go:build unix

package keeper

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	identity "murlua/platform/process"
)

func TestTheGuardEndsTheGroupsThatAreLeftAndNoOther(t *testing.T) {
	begin := func(script string) (*exec.Cmd, guarded) {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_, _ = bufio.NewReader(out).ReadString('\n')
		id, err := identity.Identify(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return cmd, guarded{Identity: id, Grace: 100 * time.Millisecond}
	}
	plain, plainTold := begin("echo up; exec sleep 600")
	deaf, deafTold := begin("trap '' TERM; echo up; sleep 600 & wait; sleep 600")
	gone, goneTold := begin("echo up; exec sleep 600")
	stranger, strangerTold := begin("echo up; exec sleep 600")
	strangerTold.Start += "1" // as if the number had been handed on
	strangerTold.Origin.Inode, strangerTold.Origin.Start = "", ""

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	told := json.NewEncoder(w)
	for _, g := range []guarded{plainTold, deafTold, goneTold, strangerTold, {Identity: goneTold.Identity, Gone: true}} {
		if err := told.Encode(g); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = w.WriteString("not what a host says\n")
	w.Close()
	guardGroups(r)
	if err := plain.Wait(); err == nil {
		t.Error("the plain group was not ended")
	}
	if err := deaf.Wait(); err == nil {
		t.Error("the deaf group was not killed")
	}
	for name, cmd := range map[string]*exec.Cmd{"one that had gone": gone, "a stranger": stranger} {
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("%s was signalled: %v", name, err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
