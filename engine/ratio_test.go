package engine

import (
	"context"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// BenchmarkRatios runs programs by turns in a host and in the library as it comes, and reports how much longer the host
// takes: the least time of each counts, so that a busy machine changes little.
//
//	go test -run '^$' -bench Ratios -benchtime 30x ./engine
func BenchmarkRatios(b *testing.B) {
	for name, source := range map[string]string{
		"arithmetic": arithmetic, "calls": calls, "pcall": pcalls, "errors": errorsCaught, "coroutines": resumes, "concat": concats, "tables": fields,
	} {
		b.Run(name, func(b *testing.B) {
			h := newHost(b, Options{})
			stock := lua.NewState()
			defer stock.Close()
			ours, theirs := time.Hour, time.Hour
			for range b.N {
				ours = min(ours, timed(b, func() error {
					_, err := h.Run(context.Background(), "bench.lua", source)
					return err
				}))
				theirs = min(theirs, timed(b, func() error { return stock.DoString(source) }))
				stock.SetTop(0)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "times")
		})
	}
	b.Run("start", func(b *testing.B) {
		ours, theirs := time.Hour, time.Hour
		for range b.N {
			ours = min(ours, timed(b, func() error {
				h, err := New(Options{})
				if err != nil {
					return err
				}
				if _, err = h.Run(context.Background(), "bench.lua", ""); err != nil {
					return err
				}
				return h.Close(context.Background())
			}))
			theirs = min(theirs, timed(b, func() error {
				L := lua.NewState()
				defer L.Close()
				return L.DoString("")
			}))
		}
		b.ReportMetric(float64(ours)/float64(theirs), "times")
	})
}

func timed(b *testing.B, work func() error) time.Duration {
	b.Helper()
	began := time.Now()
	if err := work(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
