package keeper

import (
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/platform/contain"
)

func TestPacketsSurviveTheWire(t *testing.T) {
	start := startRequest{
		ID: 7, Class: "cgroup", Path: "/bin/sh", Dir: "/tmp", Args: []string{"sh", "-c", "a\x00b"}, Env: []string{"A=1", ""},
		Fds: "nf-f", Signal: -1, Grace: 3 * time.Second, Group: 12, Terminal: true,
	}
	if got, err := decodeStart(start.encode()[1:]); err != nil || !cmp.Equal(got, start) {
		t.Errorf("start: %v\n%s", err, cmp.Diff(start, got))
	}
	started := startedReply{ID: 1, PID: 1 << 30, Errno: int(syscall.ENOENT), Stage: "x"}
	if got, err := decodeStarted(started.encode()[1:]); err != nil || got != started {
		t.Errorf("started: %+v, %v", got, err)
	}
	exit := exitedNotice{ID: 1 << 23, Wait: 0x8b}
	if got, err := decodeExited(exit.encode()[1:]); err != nil || got != exit {
		t.Errorf("exited: %+v, %v", got, err)
	}
	stop := stopRequest{ID: 2, Signal: 15, Grace: -time.Second}
	if got, err := decodeStop(stop.encode()[1:]); err != nil || got != stop {
		t.Errorf("stop: %+v, %v", got, err)
	}
	gone := goneNotice{ID: 2, Rung: "kill", Escaped: []contain.Process{{PID: 3, Name: "a b"}}, Killed: []contain.Process{{PID: 4}, {PID: 5}}}
	if got, err := decodeGone(gone.encode()[1:]); err != nil || !cmp.Equal(got, gone) {
		t.Errorf("gone: %v\n%s", err, cmp.Diff(gone, got))
	}
}

func FuzzPackets(f *testing.F) {
	f.Add((&startRequest{Args: []string{"x"}, Env: []string{"A=1"}, Fds: "nnn"}).encode()[1:])
	f.Add((&goneNotice{Killed: []contain.Process{{PID: 1, Name: "n"}}}).encode()[1:])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := decodeStart(data); err == nil {
			again, err := decodeStart(r.encode()[1:])
			if err != nil || !cmp.Equal(again, r) {
				t.Errorf("a start request changed on the way: %v\n%s", err, cmp.Diff(r, again))
			}
		}
		if n, err := decodeGone(data); err == nil {
			again, err := decodeGone(n.encode()[1:])
			if err != nil || !cmp.Equal(again, n) {
				t.Errorf("a notice changed on the way: %v\n%s", err, cmp.Diff(n, again))
			}
		}
		_, _ = decodeStarted(data)
		_, _ = decodeExited(data)
		_, _ = decodeStop(data)
	})
}
