package bindings

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/engine"
	"murlua/stdlib"
	"murlua/stdlib/meta"
)

// What scripts find under mur is what the stubs describe, and the other way round: help, the reference pages and
// editors would lie otherwise.
func TestTheStubsDescribeWhatThereIs(t *testing.T) {
	w := &World{Workdir: t.TempDir()}
	var out bytes.Buffer
	host, err := engine.New(engine.Options{
		Stdout: &out, Modules: w.Modules(), Stdlib: engine.NewLibrary(stdlib.Files),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Close(context.Background()) }()
	names := append([]string{""}, host.ModuleNames()...)
	_, err = host.Run(t.Context(), "drift", `
		local mur = require "mur"
		local names = { `+quoteAll(names)+` }
		for _, name in ipairs(names) do
			if name ~= "" then
				local module, callable = mur[name], false
				if getmetatable(module) == "module" then print("mur." .. name, "call") end
				for key, value in pairs(module) do
					print("mur." .. name .. "." .. key, type(value) == "function" and "call" or "value")
				end
			end
		end
		for key, value in pairs(mur) do
			if type(value) == "function" then print("mur." .. key, "call") end
		end`)
	if err != nil {
		t.Fatal(err)
	}
	there := strings.Split(strings.TrimSpace(out.String()), "\n")
	docs := loadDocs(t)
	var described []string
	for _, m := range docs.Modules {
		for _, f := range m.Functions {
			described = append(described, f.Name+"\tcall")
		}
		for _, v := range m.Values {
			described = append(described, m.Name+"."+v.Name+"\tvalue")
		}
	}
	slices.Sort(there)
	slices.Sort(described)
	if diff := cmp.Diff(described, there); diff != "" {
		t.Errorf("-described in stdlib/meta +there\n%s", diff)
	}
}

// The same for objects: what they have is what their class describes.
func TestTheStubsDescribeTheObjects(t *testing.T) {
	docs := loadDocs(t)
	types := map[string]*engine.Type{
		"mur.Watch": watchType, "mur.RecordWatch": runningWatchType, "mur.Formation": formationType, "mur.KnownFormation": knownType, "mur.FormationPlan": planType,
		"mur.HTTPStream": httpStreamType, "mur.DoorToken": tokenType, "mur.DoorStream": doorStreamType,
		"mur.ReadyMember": memberType, "mur.Handle": handleType, "mur.Capsule": capsuleType, "mur.Peer": peerType,
		"mur.FakeDoor": fakeDoorType,
	}
	for name, object := range types {
		compareMembers(t, docs, name, object)
	}
}

func compareMembers(t *testing.T, docs *meta.Docs, name string, object *engine.Type) {
	t.Helper()
	class := docs.Class(name)
	if class == nil || object == nil {
		t.Errorf("the class %s is described %v, its type is %v", name, class != nil, object)
		return
	}
	if object.Class != name {
		t.Errorf("the type of %s says that %q describes it", name, object.Class)
	}
	var described []string
	for _, f := range docs.Fields(class) {
		if !strings.HasPrefix(f.Name, "[") {
			described = append(described, f.Name)
		}
	}
	for _, f := range class.Methods {
		described = append(described, f.Name[strings.LastIndexByte(f.Name, ':')+1:])
	}
	slices.Sort(described)
	if diff := cmp.Diff(described, object.Members()); diff != "" {
		t.Errorf("%s: -described in stdlib/meta +there\n%s", name, diff)
	}
}

// The same for objects whose types are not of this package.
func TestTheStubsDescribeTheHostsObjects(t *testing.T) {
	docs := loadDocs(t)
	w := &World{Workdir: t.TempDir()}
	host, err := engine.New(engine.Options{Modules: w.Modules(), Stdlib: engine.NewLibrary(stdlib.Files)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Close(context.Background()) }()
	for name, source := range map[string]string{
		"mur.Task": `mur.task.current()`, "mur.Queue": `mur.task.queue()`, "mur.Expectation": `mur.test.expect(1)`,
	} {
		values, err := host.Run(t.Context(), "drift", `local mur = require "mur" return `+source)
		if err != nil || len(values) != 1 {
			t.Errorf("%s: %v, %v", source, values, err)
			continue
		}
		compareMembers(t, docs, name, engine.TypeOf(values[0]))
	}
}

func loadDocs(t *testing.T) *meta.Docs {
	t.Helper()
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
