package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// loading is a module that some task is loading; others wait for done.
type loading struct {
	task *Task
	done chan struct{}
}

// require loads a module once: "mur" and "mur.<name>" from the host, others from the folders.
func (h *Host) require(c *Call) error {
	value, err := h.load(c, c.String(1))
	if err != nil {
		return err
	}
	return c.Return(value)
}

// Require returns a module as require gives it to a script.
func (c *Call) Require(name string) (lua.LValue, error) { return c.t.host.load(c, name) }

// load returns a module. Tasks that ask for one that is being loaded wait for it; a load that fails leaves nothing,
// so the next one to ask tries again.
func (h *Host) load(c *Call, name string) (lua.LValue, error) {
	for {
		if value := h.loaded.RawGetString(name); value != lua.LNil {
			return value, nil
		}
		busy := h.loading[name]
		if busy == nil {
			break
		}
		for t := c.t.task; t != nil; t = t.parent {
			if t == busy.task {
				return nil, Errorf(KindUsage, "module '%s' requires itself, directly or through another", name)
			}
		}
		if err := c.Block(func(ctx context.Context) error { return waitFor(ctx, busy.done) }); err != nil {
			return nil, err
		}
	}
	busy := &loading{task: c.t.task, done: make(chan struct{})}
	h.loading[name] = busy
	defer func() {
		delete(h.loading, name)
		close(busy.done)
	}()
	value, err := h.open(c, name)
	if err != nil {
		return nil, err
	}
	if value == lua.LNil {
		if value = h.loaded.RawGetString(name); value == lua.LNil {
			value = lua.LTrue
		}
	}
	h.loaded.RawSetString(name, value)
	return value, nil
}

// open makes a module's value.
func (h *Host) open(c *Call, name string) (lua.LValue, error) {
	if name == "mur" {
		return h.mur, nil
	}
	if short, ok := strings.CutPrefix(name, "mur."); ok {
		return h.openModule(c, short)
	}
	if preload, ok := h.preloaded(name).(*lua.LFunction); ok {
		return first(c.Call(preload, name))
	}
	path, source, err := h.readModule(name)
	if err != nil {
		return nil, err
	}
	proto, err := Compile(path, string(source))
	if err != nil {
		return nil, err
	}
	return first(c.Call(h.base.NewFunctionFromProto(proto), name))
}

func first(values []lua.LValue, err error) (lua.LValue, error) {
	if err != nil || len(values) == 0 {
		return lua.LNil, err
	}
	return values[0], nil
}

// ModuleFiles returns where a module's file may be in a folder, slashes between, in the order in which they are looked
// for; nothing for what is no name of a module.
func ModuleFiles(name string) []string {
	relative := strings.ReplaceAll(name, ".", "/")
	if !fs.ValidPath(relative) || relative == "." || strings.ContainsAny(name, `/\`) {
		return nil
	}
	return []string{relative + ".lua", relative + "/init.lua"}
}

// readModule reads a module's file. Only names below the folders are accepted.
func (h *Host) readModule(name string) (path string, source []byte, err error) {
	files := ModuleFiles(name)
	if len(files) == 0 {
		return "", nil, &Error{Kind: "module", Message: fmt.Sprintf("cannot require '%s': not a module name", name), Hint: "write folder.name for folder/name.lua"}
	}
	var tried []string
	for _, place := range h.places() {
		for _, file := range files {
			path := place.path(file)
			info, err := fs.Stat(place.files, file)
			switch {
			case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
				tried = append(tried, path)
				continue
			case err != nil:
				tried = append(tried, err.Error())
				continue
			}
			source, err := fs.ReadFile(place.files, file)
			if err != nil {
				return "", nil, &Error{Kind: "module", Message: fmt.Sprintf("cannot read module '%s': %v", name, err), Cause: err}
			}
			return path, source, nil
		}
	}
	e := &Error{Kind: "module", Message: fmt.Sprintf("module '%s' not found", name), Hint: "looked for " + strings.Join(tried, ", ")}
	if len(tried) == 0 {
		e.Hint = "there is no folder to look in"
	}
	return "", nil, e
}

// place is somewhere that modules are looked for in.
type place struct {
	files  fs.FS
	folder string // "" for files that are in no folder
}

func (p place) path(name string) string { return filepath.Join(p.folder, filepath.FromSlash(name)) }

func (h *Host) places() []place {
	var places []place
	if h.options.Files != nil {
		places = append(places, place{files: h.options.Files})
	}
	for _, folder := range h.options.Folders {
		places = append(places, place{os.DirFS(folder), folder})
	}
	return places
}

// openModule makes mur.<name> of its Go part, its Lua part, or both: the Lua part gets the Go part's table.
func (h *Host) openModule(c *Call, name string) (lua.LValue, error) {
	proto, err := h.options.Stdlib.load(name)
	if err != nil {
		return nil, err
	}
	module := h.modules[name]
	if name == "" || module == nil && proto == nil || h.options.withheld[name] {
		return nil, h.noModule(name)
	}
	var value lua.LValue = lua.LNil
	if module != nil {
		table, err := h.nativeModule(c, module)
		if err != nil {
			return nil, err
		}
		value = table
	}
	if proto != nil {
		if value, err = first(c.Call(h.base.NewFunctionFromProto(proto), value)); err != nil {
			return nil, err
		}
	}
	h.suggest("mur."+name, value)
	return value, nil
}

// suggest makes a misspelt name of a module an error that names the right one, as it is with objects and options. Asking
// for what is like nothing there gives nil.
func (h *Host) suggest(name string, module lua.LValue) {
	table, ok := module.(*lua.LTable)
	if !ok {
		return
	}
	meta, ok := table.Metatable.(*lua.LTable)
	if !ok {
		meta = h.base.NewTable()
		meta.RawSetString("__metatable", lua.LString("a module of mur"))
		table.Metatable = meta
	}
	meta.RawSetString("__index", h.base.NewFunction(h.wrap(name, func(c *Call) error {
		key, ok := c.Get(2).(lua.LString)
		if !ok {
			return c.Return(nil)
		}
		var known []string
		table.ForEach(func(k, _ lua.LValue) { known = append(known, k.String()) })
		sort.Strings(known)
		if near := Nearest(string(key), known); near != "" {
			hint := fmt.Sprintf("did you mean '%s.%s'?", name, near)
			return &Error{Kind: KindUsage, Message: fmt.Sprintf("there is no %s.%s; %s", name, key, hint), Hint: hint}
		}
		return c.Return(nil)
	})))
}

func (h *Host) nativeModule(c *Call, module *Module) (*lua.LTable, error) {
	table := h.base.NewTable()
	h.addFunctions(table, "mur."+module.Name+".", module.Functions)
	if module.Call != nil {
		meta := h.base.NewTable()
		call := h.wrapShifted("mur."+module.Name, module.Call)
		meta.RawSetString("__call", h.base.NewFunction(call))
		meta.RawSetString("__metatable", lua.LString("module"))
		table.Metatable = meta
	}
	if module.Open != nil {
		if err := module.Open(c, table); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// wrapShifted is wrap for a function whose first argument is the module table.
func (h *Host) wrapShifted(name string, fn Function) lua.LGFunction {
	return func(L *lua.LState) int {
		c := Call{l: L, t: threadOf(L), name: name, shift: 1}
		return c.run(fn)
	}
}

func (h *Host) addFunctions(table *lua.LTable, prefix string, functions map[string]Function) {
	for name, fn := range functions {
		table.RawSetString(name, h.base.NewFunction(h.wrap(prefix+name, fn)))
	}
}

// newMur makes the table that require "mur" gives: it opens a module when it is first touched.
func (h *Host) newMur() *lua.LTable {
	mur := h.base.NewTable()
	h.addFunctions(mur, "mur.", h.taskFunctions())
	if module := h.modules[""]; module != nil {
		h.addFunctions(mur, "mur.", module.Functions)
	}
	meta := h.base.NewTable()
	meta.RawSetString("__index", h.base.NewFunction(h.wrap("mur", func(c *Call) error {
		name, ok := c.Get(2).(lua.LString)
		if !ok {
			return c.Return(nil)
		}
		value, err := h.load(c, "mur."+string(name))
		if err != nil {
			return err
		}
		mur.RawSetString(string(name), value)
		return c.Return(value)
	})))
	meta.RawSetString("__metatable", lua.LString("mur"))
	mur.Metatable = meta
	return mur
}

// ModuleNames lists the modules of mur, in order.
func (h *Host) ModuleNames() []string {
	seen := map[string]bool{}
	for name := range h.modules {
		seen[name] = true
	}
	for _, name := range h.options.Stdlib.Names() {
		seen[name] = true
	}
	for name := range h.options.withheld {
		delete(seen, name)
	}
	delete(seen, "")
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (h *Host) noModule(name string) error {
	if h.options.withheld[name] {
		return &Error{
			Kind: "module", Message: fmt.Sprintf("there is no mur.%s in a sandbox", name),
			Hint: "it has " + strings.Join(h.ModuleNames(), ", "),
		}
	}
	known := h.ModuleNames()
	h.mur.ForEach(func(key, _ lua.LValue) { known = append(known, key.String()) })
	e := &Error{Kind: "module", Message: fmt.Sprintf("there is no mur.%s", name)}
	if near := Nearest(name, known); near != "" {
		e.Hint = fmt.Sprintf("did you mean 'mur.%s'?", near)
		e.Message += "; " + e.Hint
	} else {
		e.Hint = "the modules are " + strings.Join(h.ModuleNames(), ", ")
	}
	return e
}
