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
	"mur.EncodeOptions":    `mur.json.encode(1, { qqqqqqqq = 1 })`,
	"mur.DecodeOptions":    `mur.json.decode("1", { qqqqqqqq = 1 })`,
	"mur.LogOptions":       `mur.log.configure { qqqqqqqq = 1 }`,
	"mur.FormatOptions":    `mur.time.format(1, { qqqqqqqq = 1 })`,
	"mur.FileReadOptions":  `mur.fs.read("x", { qqqqqqqq = 1 })`,
	"mur.FileWriteOptions": `mur.fs.write("x", "", { qqqqqqqq = 1 })`,
	"mur.FileStatOptions":  `mur.fs.stat("x", { qqqqqqqq = 1 })`,
	"mur.MkdirOptions":     `mur.fs.mkdir("x", { qqqqqqqq = 1 })`,
	"mur.RemoveOptions":    `mur.fs.remove("x", { qqqqqqqq = 1 })`,
	"mur.TempdirOptions":   `mur.fs.tempdir { qqqqqqqq = 1 }`,
	"mur.WatchOptions":     `mur.fs.watch(".", { qqqqqqqq = 1 })`,
	"mur.NextOptions":      `mur.fs.watch("."):next { qqqqqqqq = 1 }`,
	"mur.RequestOptions":   `mur.http.get("http://localhost:1", { qqqqqqqq = 1 })`,
	"mur.Request":          `mur.http.request { url = "http://localhost:1", qqqqqqqq = 1 }`,
	"mur.TLSOptions":       `mur.http.get("http://localhost:1", { tls = { qqqqqqqq = 1 } })`,
	"mur.ReadyTable":       `mur.ready.policy { qqqqqqqq = 1 }`,
	"mur.TCPCheck":         `mur.ready.tcp { qqqqqqqq = 1 }`,
	"mur.HTTPCheck":        `mur.ready.http { qqqqqqqq = 1 }`,
	"mur.LogCheck":         `mur.ready.log { qqqqqqqq = 1 }`,
	"mur.FileCheck":        `mur.ready.file { qqqqqqqq = 1 }`,
	"mur.CommandCheck":     `mur.ready.command { command = { "x" }, qqqqqqqq = 1 }`,
	"mur.WaitOptions":      `mur.ready.wait({ tcp = 1 }, { qqqqqqqq = 1 })`,
	"mur.SweepOptions":     `mur.sweep.run { qqqqqqqq = 1 }`,
	"mur.SweepFindOptions": `mur.sweep.find { qqqqqqqq = 1 }`,
	"mur.SpawnOptions":     `mur.task.spawn(print, { qqqqqqqq = 1 })`,
	"mur.RunOptions":       `mur.process.run { command = { "true" }, qqqqqqqq = 1 }`,
	"mur.HandleOptions":    `mur.handle.start { command = { "true" }, qqqqqqqq = 1 }`,
	"mur.CapsuleOptions":   `mur.capsule { name = "x", version = "1", on_task = print, qqqqqqqq = 1 }`,
	"mur.Plan":             `mur.formation.plan { members = {}, qqqqqqqq = 1 }`,
	"mur.Member":           `mur.formation.plan { members = { { name = "x", command = { "true" }, qqqqqqqq = 1 } } }`,
	"mur.ListOptions":      `mur.running.list { qqqqqqqq = 1 }`,
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
