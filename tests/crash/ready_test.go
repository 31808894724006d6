//go:build linux

package crash_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
)

// BenchmarkCapsules measures how long a formation of 100 Lua capsules takes until all are ready, beside merely starting
// 100 such processes and waiting for the first line of each. The two take turns.
func BenchmarkCapsules(b *testing.B) {
	const count = 100
	script, err := filepath.Abs("testdata/capsule.lua")
	if err != nil {
		b.Fatal(err)
	}
	var floor, ours time.Duration
	for b.Loop() {
		dir := b.TempDir()
		environ := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		began := time.Now()
		var lines sync.WaitGroup
		var all []*exec.Cmd
		for i := range count {
			workdir := filepath.Join(dir, fmt.Sprint(i))
			if err := os.Mkdir(workdir, 0o700); err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(binary, "run", "--capsule", "echo", "--capsule-version", "1", "--script", script, "--workdir", workdir, "--json")
			cmd.Env = environ
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			all = append(all, cmd)
			lines.Go(func() {
				if !bufio.NewScanner(out).Scan() {
					b.Error("a capsule wrote no line")
				}
			})
		}
		lines.Wait()
		floor += time.Since(began)
		for _, cmd := range all {
			_ = cmd.Process.Kill()
		}
		for _, cmd := range all {
			_ = cmd.Wait()
		}

		h, err := home.Resolve(dir)
		if err != nil {
			b.Fatal(err)
		}
		var p formation.Plan
		for i := range count {
			p.Members = append(p.Members, formation.Member{Name: fmt.Sprintf("m%d", i), Script: &formation.Script{Path: script}})
		}
		began = time.Now()
		f, err := formation.Launch(b.Context(), p, formation.Options{Home: h, Environ: environ, Executable: binary})
		if err != nil {
			b.Fatal(err)
		}
		ours += time.Since(began)
		f.Stop(nil)
		if _, err := f.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(ours)/float64(floor), "ready/floor")
	b.ReportMetric(ours.Seconds()*1000/float64(b.N), "ms-ready")
	b.ReportMetric(0, "ns/op")
}
