package engine

import (
	"errors"
	"io/fs"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// Library is a set of Lua modules that are compiled once. It is safe for concurrent use.
type Library struct {
	files fs.FS
	mu    sync.Mutex
	units map[string]func() (*lua.FunctionProto, error)
}

// Names lists the modules, in order. Those with a hyphen in their names are parts of others, for them to require, and
// are not listed.
func (l *Library) Names() []string {
	if l == nil {
		return nil
	}
	entries, err := fs.ReadDir(l.files, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".lua"); ok && !strings.Contains(name, "-") {
			names = append(names, name)
		}
	}
	return names
}

// load returns the compiled module, or nil when there is none of that name.
func (l *Library) load(name string) (*lua.FunctionProto, error) {
	if l == nil || strings.ContainsAny(name, "/\\") || !fs.ValidPath(name+".lua") {
		return nil, nil
	}
	l.mu.Lock()
	if l.units == nil {
		l.units = map[string]func() (*lua.FunctionProto, error){}
	}
	unit := l.units[name]
	if unit == nil {
		unit = sync.OnceValues(func() (*lua.FunctionProto, error) {
			source, err := fs.ReadFile(l.files, name+".lua")
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return Compile("mur."+name, string(source))
		})
		l.units[name] = unit
	}
	l.mu.Unlock()
	return unit()
}
