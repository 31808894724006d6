package door_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

const (
	manyDoors = 1000
	parallel  = 32
)

// openMany opens doors and returns records of them, as this process would write them.
func openMany(t testing.TB, count int) []running.Record {
	t.Helper()
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	records := make([]running.Record, count)
	for i := range records {
		session := id.NewSession()
		s := serve(t, door.ServerOptions{Session: session})
		records[i] = running.Record{SessionID: session, URL: s.URL(), PID: own.PID, ProcessStart: own.Start, CapsuleName: "coder", CapsuleVersion: "1"}
	}
	return records
}

// getAll makes one bare request for each door's card.
func getAll(t testing.TB, records []running.Record) time.Duration {
	started := time.Now()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
	work := make(chan string)
	var group sync.WaitGroup
	for range parallel {
		group.Go(func() {
			for url := range work {
				reply, err := client.Get("http://" + url + "/.well-known/agent-card.json")
				if err != nil {
					t.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
			}
		})
	}
	for _, record := range records {
		work <- record.URL
	}
	close(work)
	group.Wait()
	return time.Since(started)
}

// verifyAll verifies every record through all three layers.
func verifyAll(t testing.TB, records []running.Record) time.Duration {
	started := time.Now()
	verdicts := running.Verifier{Probe: door.Probe, Parallel: parallel}.VerifyAll(context.Background(), records)
	took := time.Since(started)
	for i, verdict := range verdicts {
		if verdict.State != running.Live {
			t.Fatalf("door %d: %+v", i, verdict)
		}
	}
	return took
}

// TestVerifyingDoorsCostsLittleMoreThanAskingThem compares the medians of rounds taken in turns, so that a busy machine slows both alike.
func TestVerifyingDoorsCostsLittleMoreThanAskingThem(t *testing.T) {
	records := openMany(t, 200)
	const rounds = 5
	var bare, verified []time.Duration
	for range rounds {
		bare = append(bare, getAll(t, records))
		verified = append(verified, verifyAll(t, records))
	}
	slices.Sort(bare)
	slices.Sort(verified)
	ratio := float64(verified[rounds/2]) / float64(bare[rounds/2])
	t.Logf("%d doors: asked in %s, verified in %s, ratio %.2f", len(records), bare[rounds/2], verified[rounds/2], ratio)
	if ratio > 3 {
		t.Errorf("verifying doors costs %.2f times as much as asking them, want at most 3", ratio)
	}
}

func BenchmarkVerifyDoors(b *testing.B) {
	records := openMany(b, manyDoors)
	var bare, verified time.Duration
	for b.Loop() {
		bare += getAll(b, records)
		verified += verifyAll(b, records)
	}
	b.ReportMetric(float64(bare.Milliseconds())/float64(b.N), "bare-ms/op")
	b.ReportMetric(float64(verified.Milliseconds())/float64(b.N), "verified-ms/op")
	b.ReportMetric(float64(verified)/float64(bare), "ratio")
}
