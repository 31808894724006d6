package bindings

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/engine"
	"murlua/stdlib/meta"
)

// The option tables of mur, by the class that describes them: a call with one option that surely does not exist. The
// error lists those that do.
var optionCalls = map[string]string{
	"mur.EncodeOptions":     `mur.json.encode(1, { qqqqqqqq = 1 })`,
	"mur.DecodeOptions":     `mur.json.decode("1", { qqqqqqqq = 1 })`,
	"mur.LogOptions":        `mur.log.configure { qqqqqqqq = 1 }`,
	"mur.FormatOptions":     `mur.time.format(1, { qqqqqqqq = 1 })`,
	"mur.FileReadOptions":   `mur.fs.read("x", { qqqqqqqq = 1 })`,
	"mur.FileWriteOptions":  `mur.fs.write("x", "", { qqqqqqqq = 1 })`,
	"mur.FileStatOptions":   `mur.fs.stat("x", { qqqqqqqq = 1 })`,
	"mur.MkdirOptions":      `mur.fs.mkdir("x", { qqqqqqqq = 1 })`,
	"mur.RemoveOptions":     `mur.fs.remove("x", { qqqqqqqq = 1 })`,
	"mur.TempdirOptions":    `mur.fs.tempdir { qqqqqqqq = 1 }`,
	"mur.WatchOptions":      `mur.fs.watch(".", { qqqqqqqq = 1 })`,
	"mur.NextOptions":       `mur.fs.watch("."):next { qqqqqqqq = 1 }`,
	"mur.RequestOptions":    `mur.http.get("http://localhost:1", { qqqqqqqq = 1 })`,
	"mur.Request":           `mur.http.request { url = "http://localhost:1", qqqqqqqq = 1 }`,
	"mur.TLSOptions":        `mur.http.get("http://localhost:1", { tls = { qqqqqqqq = 1 } })`,
	"mur.ReadyTable":        `mur.ready.policy { qqqqqqqq = 1 }`,
	"mur.TCPCheck":          `mur.ready.tcp { qqqqqqqq = 1 }`,
	"mur.HTTPCheck":         `mur.ready.http { qqqqqqqq = 1 }`,
	"mur.LogCheck":          `mur.ready.log { qqqqqqqq = 1 }`,
	"mur.FileCheck":         `mur.ready.file { qqqqqqqq = 1 }`,
	"mur.CommandCheck":      `mur.ready.command { command = { "x" }, qqqqqqqq = 1 }`,
	"mur.WaitOptions":       `mur.ready.wait({ tcp = 1 }, { qqqqqqqq = 1 })`,
	"mur.SweepOptions":      `mur.sweep.run { qqqqqqqq = 1 }`,
	"mur.SweepFindOptions":  `mur.sweep.find { qqqqqqqq = 1 }`,
	"mur.SpawnOptions":      `mur.task.spawn(print, { qqqqqqqq = 1 })`,
	"mur.RunOptions":        `mur.process.run { command = { "true" }, qqqqqqqq = 1 }`,
	"mur.HandleOptions":     `mur.handle.start { command = { "true" }, qqqqqqqq = 1 }`,
	"mur.CapsuleOptions":    `mur.capsule { name = "x", version = "1", on_task = print, qqqqqqqq = 1 }`,
	"mur.Plan":              `mur.formation.plan { members = {}, qqqqqqqq = 1 }`,
	"mur.Member":            `mur.formation.plan { members = { { name = "x", command = { "true" }, qqqqqqqq = 1 } } }`,
	"mur.DoorOptions":       `mur.door.card("localhost:1", { qqqqqqqq = 1 })`,
	"mur.DoorSendOptions":   `mur.door.send("localhost:1", "x", { qqqqqqqq = 1 })`,
	"mur.DoorStreamOptions": `mur.door.stream("localhost:1", "x", { qqqqqqqq = 1 })`,
	"mur.DoorWatchOptions":  `mur.door.watch("localhost:1", { qqqqqqqq = 1 })`,
	"mur.FakeDoorOptions":   `mur.test.door { qqqqqqqq = 1 }`,
	"mur.RosterOptions":     `mur.formation.roster(".", { qqqqqqqq = 1 })`,
	"mur.RetryOptions":      `mur.retry.call(print, { qqqqqqqq = 1 })`,
	"mur.EventuallyOptions": `mur.test.eventually(function() return true end, { qqqqqqqq = 1 })`,
	"mur.Health":            `mur.formation.plan { members = { { name = "x", command = { "true" }, health = { check = print, qqqqqqqq = 1 } } } }`,
	"mur.RestartOptions":    `mur.formation.plan { members = { { name = "x", command = { "true" }, on_exit = { qqqqqqqq = 1 } } } }`,
	"mur.ListOptions":       `mur.running.list { qqqqqqqq = 1 }`,
}

// Tables that functions take and that are no options: data that mur gave out, or what only a running object takes.
var notOptions = map[string]string{
	"mur.FormationPlan": "a plan that was checked", "mur.ReadyPolicy": "made by mur.ready", "mur.Record": "made by mur.running",
	"mur.Task": "made by mur.task", "mur.Capsule": "made by mur.capsule",
	"mur.HandleTimeout": "taken by a running handle", "mur.HandleStopOptions": "taken by a running handle",
	"mur.KnownStopOptions": "taken by a running formation", "mur.SuiteOptions": "taken while tests are described",
	"mur.TestOptions": "taken while tests are described", "mur.PendingOptions": "taken while tests are described",
}

func TestEveryOptionTableIsCompared(t *testing.T) {
	docs := loadDocs(t)
	for _, name := range docs.Names() {
		f := docs.Function(name)
		for i := range f.Params {
			class := docs.Options(f, i)
			if class == nil || optionCalls[class.Name] != "" || notOptions[class.Name] != "" {
				continue
			}
			t.Errorf("the options %s of %s are not compared with what is taken", class.Name, name)
		}
	}
}

func TestTheStubsDescribeTheOptions(t *testing.T) {
	docs := loadDocs(t)
	w := &World{Workdir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}}
	for name, call := range optionCalls {
		class := docs.Class(name)
		if class == nil {
			t.Errorf("the class %s is described nowhere", name)
			continue
		}
		out := script(t, w, `local ok, e = pcall(function() return `+call+` end) print(ok and "no error" or e.hint or e.message)`)
		_, list, found := strings.Cut(out, "it takes ")
		if !found {
			if _, list, found = strings.Cut(out, "the keys are "); !found {
				t.Errorf("%s: %s says %q", name, call, out)
				continue
			}
		}
		taken := strings.Split(list, ", ")
		var described []string
		for _, f := range docs.Fields(class) {
			described = append(described, f.Name)
		}
		slices.Sort(described)
		slices.Sort(taken)
		if diff := cmp.Diff(slices.Compact(described), taken); diff != "" {
			t.Errorf("%s: -described in stdlib/meta +taken\n%s", name, diff)
		}
	}
}

// Editors read the stubs as Lua.
func TestTheStubsAreLua(t *testing.T) {
	for _, file := range meta.Files() {
		if _, err := engine.Compile(file.Name, file.Source); err != nil {
			t.Error(err)
		}
	}
}
