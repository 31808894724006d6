//go:build unix

package running

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// many writes so many records of processes that run, with what this program adds or without.
func many(t testing.TB, count int, origins bool) home.Home {
	t.Helper()
	h := newHome(t)
	if _, err := h.EnsureRunning(); err != nil {
		t.Fatal(err)
	}
	var processes []process.Identity
	for range 20 {
		processes = append(processes, start(t, "wait").identity(t))
	}
	for i := range count {
		record := ours(processes[i%len(processes)])
		if !origins {
			record.Origin = process.Origin{}
		}
		record.FormationID, record.FormationMember, record.FormationLifeline = id.NewFormation(), "coder", true
		record.FormationLauncher = &process.Identity{PID: 7, Start: "42"}
		record.DoorToken = fullest().DoorToken
		text, err := Encode(record)
		if err != nil {
			t.Fatal(err)
		}
		// Not staged and synced, which would take most of the time.
		if err := os.WriteFile(Location(h, record.SessionID), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// merelyRead reads and decodes the files with what everybody has at hand, as concurrently as List does.
func merelyRead(t testing.TB, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	records := make([]wire, len(entries))
	inParallel(len(entries), runtime.GOMAXPROCS(0), func(i int) {
		text, err := os.ReadFile(filepath.Join(dir, entries[i].Name()))
		if err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal(text, &records[i]); err != nil {
			t.Error(err)
		}
	})
	return len(records)
}

func listed(t testing.TB, h home.Home, count int) {
	t.Helper()
	running, ended, err := runningNow(h)
	if err != nil || len(running) != count || len(ended) != 0 {
		t.Fatalf("%d run, %d ended, %v", len(running), len(ended), err)
	}
}

// worked is how much time processors spent on this process: on a busy machine the time on the clock is mostly that of others.
// Both that are compared are equally parallel.
func worked(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Listing ten thousand records and looking at each process costs less than twice what reading them does;
// somewhat more for those without an inode, whose start has to be read.
func TestTenThousandRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 10,000 files")
	}
	const count = 10_000
	for name, most := range map[string]time.Duration{"as written here": 2, "as murmur writes them": 4} {
		t.Run(name, func(t *testing.T) {
			h := many(t, count, most == 2)
			reading, listing := time.Hour, time.Hour
			// In turns, so that both have the machine's good moments and its bad ones.
			for range 8 {
				begin := worked(t)
				merelyRead(t, h.Running())
				between := worked(t)
				listed(t, h, count)
				reading, listing = min(reading, between-begin), min(listing, worked(t)-between)
			}
			ratio := float64(listing) / float64(reading)
			t.Logf("reading and decoding %v, listing and looking at each process %v, ratio %.2f", reading, listing, ratio)
			if listing > most*reading {
				t.Errorf("listing costs %.1f times as much as reading", ratio)
			}
		})
	}
}

func BenchmarkTenThousandRecords(b *testing.B) {
	const count = 10_000
	h := many(b, count, true)
	b.Run("read and decode", func(b *testing.B) {
		for b.Loop() {
			merelyRead(b, h.Running())
		}
	})
	b.Run("list and inspect", func(b *testing.B) {
		for b.Loop() {
			listed(b, h, count)
		}
	})
}
