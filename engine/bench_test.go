package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// The ratios that the documentation names are between two of these in one run:
//
//	go test -run '^$' -bench . ./engine
//
// Stock* is the library as it comes, in the same process.

const arithmetic = `local x = 0 for i = 1, 1000000 do x = x + i * 2 % 7 end return x`

func benchHost(b *testing.B, source string) {
	h := newHost(b, Options{})
	b.ResetTimer()
	for range b.N {
		if _, err := h.Run(context.Background(), "bench.lua", source); err != nil {
			b.Fatal(err)
		}
	}
}

func benchStock(b *testing.B, source string) {
	L := lua.NewState()
	defer L.Close()
	b.ResetTimer()
	for range b.N {
		if err := L.DoString(source); err != nil {
			b.Fatal(err)
		}
		L.SetTop(0)
	}
}

func BenchmarkArithmetic(b *testing.B)      { benchHost(b, arithmetic) }
func BenchmarkStockArithmetic(b *testing.B) { benchStock(b, arithmetic) }

const calls = `local function f(a, b) return a end for i = 1, 300000 do f(i, 1) end`

func BenchmarkCalls(b *testing.B)      { benchHost(b, calls) }
func BenchmarkStockCalls(b *testing.B) { benchStock(b, calls) }

const pcalls = `local function f(a, b) return a end for i = 1, 100000 do pcall(f, i, 1) end`

func BenchmarkPcall(b *testing.B)      { benchHost(b, pcalls) }
func BenchmarkStockPcall(b *testing.B) { benchStock(b, pcalls) }

const errorsCaught = `local function f() error("x") end for i = 1, 20000 do pcall(f) end`

func BenchmarkCaughtErrors(b *testing.B)      { benchHost(b, errorsCaught) }
func BenchmarkStockCaughtErrors(b *testing.B) { benchStock(b, errorsCaught) }

func BenchmarkSpawnJoin(b *testing.B) {
	h := newHost(b, Options{})
	b.ResetTimer()
	if _, err := h.Run(context.Background(), "bench.lua", `
		local task = require("mur").task
		local function f() end
		for i = 1, `+itoa(b.N)+` do task.spawn(f):join() end`); err != nil {
		b.Fatal(err)
	}
}

// Two tasks that hand the lock to each other b.N times in all.
func BenchmarkHandOver(b *testing.B) {
	h := newHost(b, Options{})
	b.ResetTimer()
	if _, err := h.Run(context.Background(), "bench.lua", `
		local task = require("mur").task
		local function f() for i = 1, `+itoa(b.N/2+1)+` do task.yield() end end
		task.all { f, f }`); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLockHandOver(b *testing.B) {
	var l lock
	done := make(chan bool)
	for range 2 {
		go func() {
			wake := make(chan struct{}, 1)
			for range b.N / 2 {
				l.acquire(wake)
				l.release()
			}
			done <- true
		}()
	}
	<-done
	<-done
}

const resumes = `local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, 100000 do co() end`

func BenchmarkCoroutineSwitch(b *testing.B)      { benchHost(b, resumes) }
func BenchmarkStockCoroutineSwitch(b *testing.B) { benchStock(b, resumes) }

func BenchmarkNewHost(b *testing.B) {
	for range b.N {
		h, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.Run(context.Background(), "bench.lua", ""); err != nil {
			b.Fatal(err)
		}
		h.Close(context.Background())
	}
}

func BenchmarkStockNewState(b *testing.B) {
	for range b.N {
		L := lua.NewState()
		if err := L.DoString(""); err != nil {
			b.Fatal(err)
		}
		L.Close()
	}
}

func itoa(n int) string { return numeral.Text(float64(n)) }

// A gsub with 1e5 matches. BenchmarkReferenceGsub measures the same inside Debian's lua5.1.
const gsubs = `local s = ("ab "):rep(100000) local r, n = s:gsub("%w+", "<%0>") assert(n == 100000)`

func BenchmarkGsub(b *testing.B) { benchHost(b, gsubs) } // the library's own takes a minute

func BenchmarkReferenceGsub(b *testing.B) {
	path, err := exec.LookPath("lua5.1")
	if err != nil {
		b.Skip(err)
	}
	program := `local n, began = tonumber(arg[1]), os.clock()
for i = 1, n do ` + gsubs + ` end
io.write((os.clock() - began) * 1e9 / n)`
	file := filepath.Join(b.TempDir(), "gsub.lua")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		b.Fatal(err)
	}
	out, err := exec.Command(path, file, strconv.Itoa(b.N)).Output()
	if err != nil {
		b.Fatal(err)
	}
	perOp, err := strconv.ParseFloat(string(out), 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(perOp, "ns/op")
}

// Joining strings, which here is a call.
const concats = `local s for i = 1, 200000 do s = "x" .. i .. "y" end`

func BenchmarkConcat(b *testing.B)      { benchHost(b, concats) }
func BenchmarkStockConcat(b *testing.B) { benchStock(b, concats) }

const fields = `local t = { n = 0 } for i = 1, 300000 do t.n = t.n + 1 t[i] = i end`

func BenchmarkTables(b *testing.B)      { benchHost(b, fields) }
func BenchmarkStockTables(b *testing.B) { benchStock(b, fields) }
