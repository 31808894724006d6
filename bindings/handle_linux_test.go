package bindings

import (
	"os"
	"strings"
	"testing"
)

func processWorld(t *testing.T) *World {
	return &World{Workdir: t.TempDir(), Environ: []string{"PATH=/bin:/usr/bin", "TMPDIR=" + t.TempDir()}, Stderr: os.Stderr}
}

func TestAHandleIsStartedReadWrittenAndStopped(t *testing.T) {
	printed(t, processWorld(t), `
		local h = mur.handle.start { command = { "sh", "-c", "echo $GREETING; pwd >&2; read x; echo got $x; exec sleep 600" }, env = { GREETING = "hello" }, stdin = true, containment = "tracked" }
		print(h:read_line { timeout = 10 })
		print(h:read_line { timeout = 10 } ~= nil, h.state, h.containment, #h.pids, h.code)
		h:write("a line\n")
		print(h:read_line { timeout = 10 })
		local line, err = h:read_line { timeout = 0.01 }
		print(line, err.kind)
		local ending, err = h:wait { timeout = 0.01 }
		print(ending, err.kind)
		local report = h:stop()[1]
		print(report.rung, report.signal, #report.killed, h.state)
		print(select(2, h:read_line()).kind)
		print(#h:stop(), h:kill(), tostring(h):sub(1, 17))
	`, strings.Join([]string{
		"hello", "true\trunning\ttracked\t1\tnil", "got a line", "nil\ttimeout", "nil\ttimeout", "signal\t15\t0\tkilled",
		"closed",
		"0\tkilled\thandle 1 (killed)",
	}, "\n"))
}

func TestHandlesAreCappedListedAndKilled(t *testing.T) {
	printed(t, processWorld(t), `
		local a = mur.handle.start { line = "sleep 600 | cat" }
		local ok, err = pcall(mur.handle.start, { line = "sleep 600", cap = 1 })
		print(ok, err.kind, err.live, err.cap)
		local b = mur.handle.start { command = { "sh", "-c", "exit 7" } }
		print(b:wait().code, b.code, b.id)
		print(mur.handle.get(1).line, select(2, mur.handle.get(9)).kind, #mur.handle.list())
		print(mur.handle.kill_all(), a.state, b.state)
		local sent, err = a:signal("TERM")
		print(sent, err.kind)
	`, "false\ttoo_many\t1\t1\n7\t7\t2\nsleep 600 | cat\tnot_found\t2\n1\tkilled\texited\nnil\tgone")
}

func TestHandlesOfAnEarlierRunAreOrphans(t *testing.T) {
	w := processWorld(t)
	// What a run that was killed leaves behind.
	store := `{"handles":[{"id":4,"line":"npm run dev","state":"running","processes":[{"pid":1,"process_start":"1","origin":{}}]},{"id":6,"line":"x","state":"exited"}]}`
	if err := os.WriteFile(w.Workdir+"/handles.json", []byte(store), 0o600); err != nil {
		t.Fatal(err)
	}
	printed(t, w, `
		print(mur.handle.store("handles.json"))
		local h = mur.handle.get(4)
		print(h.state, h.line, #h.pids, h.containment, h:poll())
		local ok, err = pcall(h.kill, h)
		print(ok, err.kind)
		print(select(2, mur.handle.readopt(4)).kind)
		print(mur.handle.start({ command = { "true" } }).id)
		print(pcall(mur.handle.store, "other.json"))
	`, "1\norphaned\tnpm run dev\t0\t\t\t0\nfalse\torphaned\norphaned\n7\nfalse\ttest.lua:9: the store is chosen before the first handle is started or asked for")
}

func TestAHandleCanHaveATerminal(t *testing.T) {
	printed(t, processWorld(t), `
		local h = mur.handle.start { command = { "sh", "-c", "stty size; trap 'exit 42' INT; echo ready; while :; do sleep 0.01; done" }, pty = { rows = 30, columns = 100 } }
		print(h:read_line(), h:read_line())
		h:write("\3")
		print(h:wait().code)
	`, "30 100\tready\n42")
}

func TestStartsAreRefusedWithKindAndReason(t *testing.T) {
	printed(t, processWorld(t), `
		for _, options in ipairs {
			{ command = { "no-such-program" } }, { command = { "/etc/passwd" } }, { line = "a > b" }, {}, { command = {} },
			{ command = { "true" }, line = "true" }, { command = { "true" }, containment = "jail" }, { command = { "true" }, containment = "job" },
			{ command = { "true" }, comand = 1 },
		} do
			local ok, err = pcall(mur.handle.start, options)
			print(ok, err.kind, err.program)
		end
	`, strings.Join([]string{
		"false\tnot_started\tno-such-program", "false\tnot_started\t/etc/passwd", "false\tusage\tnil", "false\tusage\tnil", "false\tusage\tnil",
		"false\tusage\tnil", "false\tusage\tnil", "false\tcontainment\tnil", "false\tusage\tnil",
	}, "\n"))
}

func TestARunCollectsAndLeavesNothing(t *testing.T) {
	printed(t, processWorld(t), `
		local r = mur.process.run { command = { "sh", "-c", "cat; echo oops >&2; setsid sleep 600 & exit 3" }, input = "in\n" }
		print(r.ok, r.code, r.signal, r.stdout, r.stderr, #r.leftovers)
		print(mur.process.run { line = "printf 'b\\na\\n' | sort" }.stdout)
		print(mur.process.run { command = { "sh", "-c", "kill -9 $$" } }.signal)
		local ok, err = pcall(mur.process.run, { command = { "sh", "-c", "echo so far; sleep 600" }, timeout = 0.3 })
		print(ok, err.kind, err.stdout)
		local ok, err = pcall(mur.process.run, { line = "yes", max_output = 1000 })
		print(ok, err.kind, #err.stdout)
		local ok, err = pcall(mur.process.run, { line = "false", check = true })
		print(ok, err.kind, err.code)
	`, "false\t3\tnil\tin\n\toops\n\t1\na\nb\n\n9\nfalse\ttimeout\tso far\n\nfalse\tlimit\t1000\nfalse\tfailed\t1")
}
