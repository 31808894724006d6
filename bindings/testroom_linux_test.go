package bindings

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"murlua/engine/scenario"
)

func newRoom(t *testing.T) *TestRoom {
	t.Helper()
	room, err := NewTestRoom(TestRoomOptions{
		Temp: t.TempDir(), Environ: append(os.Environ(), "MURMUR_FORMATION_ID=frm_x", "HOME=/nowhere"),
		World: func(environ []string) *World { return &World{Environ: environ, Workdir: t.TempDir()} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := room.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(room.dir); !os.IsNotExist(err) {
			t.Errorf("the room's folder is left: %v", err)
		}
	})
	return room
}

// listener is a program that listens and waits to be killed; the test binary is started again as it.
const listenerVariable = "MURLUA_TEST_LISTENER"

func TestHelperListener(t *testing.T) {
	if os.Getenv(listenerVariable) == "" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString(l.Addr().String() + "\n")
	select {}
}

func TestARoomFindsAndEndsWhatIsLeft(t *testing.T) {
	room := newRoom(t)
	if left, err := room.Look(t.Context()); err != nil || len(left) > 0 {
		t.Fatalf("a fresh room holds %v, %v", left, err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestHelperListener$")
	cmd.Env = append(room.environ, listenerVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make([]byte, 64)
	n, err := out.Read(address)
	if err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(room.home(), ".murmur", "running")
	for _, dir := range []string{records, filepath.Join(room.temp(), "forgotten")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(records, "ses_1.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := room.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, l := range room.End(t.Context(), left) {
		found += l.String() + "\n"
	}
	for _, want := range []string{
		"process pid ", "-test.run=TestHelperListener$) (killed)", "port " + strings.TrimSpace(string(address[:n])) + " of pid ",
		"record home/.murmur/running/ses_1.json (removed)", "directory tmp/forgotten (removed)",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("found\n%swithout %q", found, want)
		}
	}
	_ = cmd.Wait()
	if left, err := room.Look(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("afterwards the room holds %v, %v", left, err)
	}
}

func TestKillMarkedTouchesNoStranger(t *testing.T) {
	stranger := exec.Command(os.Args[0], "-test.run=TestHelperListener$")
	stranger.Env = append(os.Environ(), listenerVariable+"=1")
	out, err := stranger.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}()
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if got := killMarked(t.Context(), processName(stranger.Process.Pid), roomVariable+"=/some/room"); got != "gone by now" {
		t.Errorf("the stranger: %s", got)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the stranger was signalled: %v", err)
	}
}

// sharedBuffer is a buffer for several writers.
type sharedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *sharedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(text)
}

func (b *sharedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestARoomsHost(t *testing.T) {
	room := newRoom(t)
	var out sharedBuffer
	test := scenario.Module()
	host, err := room.Host(test, &out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = host.Run(t.Context(), "a.lua", `
		local mur = require "mur"
		print(os.getenv("HOME"), os.getenv("MURMUR_FORMATION_ID"), mur.test.expect ~= nil)
		mur.fs.write(mur.fs.tempdir() .. "/x", "y")`)
	if err != nil {
		t.Fatal(err)
	}
	if want := room.home() + "\tnil\ttrue\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	if left, _ := room.Look(t.Context()); len(left) != 1 {
		t.Errorf("while the host is open the room holds %v, want its temporary folder", left)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := room.Look(t.Context()); len(left) != 0 {
		t.Errorf("afterwards the room holds %v", left)
	}
}
