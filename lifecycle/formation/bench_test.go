//go:build unix

package formation_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
)

// BenchmarkCommands measures what a formation of commands costs to start and to stop, beside the least that a Go program can
// do: the same commands in groups of their own, with pipes that are read. The two take turns, so that the ratios hold
// on a busy machine.
func BenchmarkCommands(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h, err := home.Resolve(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			var floor, ours [2]time.Duration
			for b.Loop() {
				add(&floor, startAndStopFloor(b, n))
				add(&ours, startAndStop(b, h, n))
			}
			b.ReportMetric(ratio(ours[0], floor[0]), "start/floor")
			b.ReportMetric(ratio(ours[1], floor[1]), "stop/floor")
			b.ReportMetric(ours[0].Seconds()*1000/float64(b.N), "ms-start")
			b.ReportMetric(ours[1].Seconds()*1000/float64(b.N), "ms-stop")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func add(sum *[2]time.Duration, more [2]time.Duration) {
	sum[0] += more[0]
	sum[1] += more[1]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func startAndStop(b *testing.B, h home.Home, n int) [2]time.Duration {
	var p formation.Plan
	for i := range n {
		p.Members = append(p.Members, formation.Member{
			Name: fmt.Sprintf("m%d", i), Command: &formation.Command{Args: []string{"/bin/sleep", "600"}},
		})
	}
	began := time.Now()
	f, err := formation.Launch(b.Context(), p, formation.Options{Home: h, Environ: os.Environ(), Executable: os.Args[0]})
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	f.Stop(nil)
	if _, err := f.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	return [2]time.Duration{started.Sub(began), time.Since(started)}
}

func startAndStopFloor(b *testing.B, n int) [2]time.Duration {
	began := time.Now()
	var all []*exec.Cmd
	var readers sync.WaitGroup
	for range n {
		cmd := exec.Command("/bin/sleep", "600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		reader, writer, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = writer, writer
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		writer.Close()
		readers.Go(func() {
			defer reader.Close()
			for lines := bufio.NewScanner(reader); lines.Scan(); {
			}
		})
		all = append(all, cmd)
	}
	started := time.Now()
	for _, cmd := range all {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	for _, cmd := range all {
		_ = cmd.Wait()
	}
	readers.Wait()
	return [2]time.Duration{started.Sub(began), time.Since(started)}
}
