package repl

import (
	"context"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/engine/value"
)

// Names is what completion asks about the world around the host. Each may be nil.
type Names struct {
	// Members lists the functions of a module that was not opened yet; the path is as in mur.formation.
	Members func(path []string) []string
	// Options lists the keys of the options table that a function takes.
	Options func(function []string) []string
	// Sessions lists the ids of sessions and formations that run here.
	Sessions func() []string
	// Files lists the files whose path begins with the prefix.
	Files func(prefix string) []string
}

const (
	// patience is how long completion waits for the host's lock: somebody is typing.
	patience = 200 * time.Millisecond
	// maxCandidates bounds what completion offers: nobody reads more.
	maxCandidates = 400
)

// Complete returns what could stand at the cursor: the input without the word that is being typed, and the words
// that could take its place, in order. It reads tables raw and never runs a script's code; while the host is busy
// it offers nothing rather than wait.
func (s *Session) Complete(ctx context.Context, input string) (head string, words []string) {
	at := locate(input)
	if at.inString {
		return s.completeString(input, at)
	}
	head = input[:len(input)-len(at.typed)]
	if at.call != nil && s.options.Names.Options != nil {
		for _, key := range s.options.Names.Options(at.call) {
			if strings.HasPrefix(key, at.typed) {
				words = append(words, key+" = ")
			}
		}
		if len(words) > 0 {
			return head, ordered(words)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := make(chan []string, 1)
	go func() { // ends with the host's lock, or with the host
		var names []string
		_ = s.options.Host.Do(ctx, func(c *engine.Call) error {
			names = s.namesAt(c, at)
			return nil
		})
		found <- names
	}()
	select {
	case words = <-found:
	case <-ctx.Done():
	}
	return head, ordered(words)
}

func (s *Session) completeString(input string, at position) (string, []string) {
	ask := s.options.Names.Files
	if strings.HasPrefix(at.quoted, "ses_") || strings.HasPrefix(at.quoted, "frm_") {
		ask = nil
		if sessions := s.options.Names.Sessions; sessions != nil {
			ask = func(string) []string { return sessions() }
		}
	}
	if ask == nil || !strings.HasSuffix(input, at.quoted) { // an escape: what stands there is not what it means
		return input, nil
	}
	var words []string
	for _, word := range ask(at.quoted) {
		if strings.HasPrefix(word, at.quoted) {
			words = append(words, word)
		}
	}
	return strings.TrimSuffix(input, at.quoted), ordered(words)
}

func ordered(words []string) []string {
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), maxCandidates)]
}

// namesAt returns the names that begin with what is typed. The caller holds the lock.
func (s *Session) namesAt(c *engine.Call, at position) []string {
	names := collector{typed: at.typed, method: at.method}
	globals := c.L().G.Global
	if at.path == nil {
		names.table(s.locals)
		names.table(globals)
		if at.typed != "" {
			for _, word := range keywords {
				names.add(word)
			}
		}
		return names.found
	}
	var v lua.LValue = lua.LNil
	known := true
	for i, step := range at.path {
		if i == 0 {
			root, ok := step.(string)
			if !ok {
				return nil
			}
			if v = s.locals.RawGetString(root); v == lua.LNil || !s.known[root] {
				v = globals.RawGetString(root)
			}
			continue
		}
		v = rawField(v, step)
		known = known && v != lua.LNil
	}
	names.value(c, v)
	s.unopened(c, &names, at.path, known)
	return names.found
}

// unopened adds the modules of mur, and the members of one that nobody opened yet.
func (s *Session) unopened(c *engine.Call, names *collector, path []any, known bool) {
	root, _ := path[0].(string)
	if s.isMur(c, root) {
		root = "mur"
		if len(path) == 1 {
			for _, module := range c.Host().ModuleNames() {
				names.add(module)
			}
		}
	}
	if known || s.options.Names.Members == nil || root != "mur" {
		return
	}
	words := []string{root}
	for _, step := range path[1:] {
		word, ok := step.(string)
		if !ok {
			return
		}
		words = append(words, word)
	}
	for _, member := range s.options.Names.Members(words) {
		names.add(member)
	}
}

// isMur reports whether a variable holds the table that require "mur" gives.
func (s *Session) isMur(c *engine.Call, name string) bool {
	v := s.locals.RawGetString(name)
	if v == lua.LNil {
		v = c.L().G.Global.RawGetString(name)
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		return false
	}
	meta, ok := t.Metatable.(*lua.LTable)
	return ok && meta.RawGetString("__metatable") == lua.LString("mur")
}

// rawField reads a field without running code: from the table, or from tables behind it.
func rawField(v lua.LValue, key any) lua.LValue {
	for range 10 {
		t, ok := v.(*lua.LTable)
		if !ok {
			return lua.LNil
		}
		found := lua.LValue(lua.LNil)
		switch key := key.(type) {
		case string:
			found = t.RawGetString(key)
		case float64:
			found = t.RawGet(lua.LNumber(key))
		}
		if found != lua.LNil {
			return found
		}
		v = behind(t)
	}
	return lua.LNil
}

// behind returns the table that a table's missing fields come from, if it is one.
func behind(t *lua.LTable) lua.LValue {
	if meta, ok := t.Metatable.(*lua.LTable); ok {
		return meta.RawGetString("__index")
	}
	return lua.LNil
}

// collector gathers names that begin with what was typed.
type collector struct {
	typed  string
	method bool // only what can be called
	found  []string
}

func (n *collector) add(name string) {
	if strings.HasPrefix(name, n.typed) && (n.typed != "" || !strings.HasPrefix(name, "_")) {
		n.found = append(n.found, name)
	}
}

func (n *collector) value(c *engine.Call, v lua.LValue) {
	if of := engine.TypeOf(v); of != nil {
		for _, name := range of.Members() {
			if _, isMethod := of.Methods[name]; isMethod || !n.method {
				n.add(name)
			}
		}
		return
	}
	if v.Type() == lua.LTString {
		v = c.L().G.Global.RawGetString("string")
	}
	for range 10 {
		t, ok := v.(*lua.LTable)
		if !ok {
			return
		}
		n.table(t)
		v = behind(t)
	}
}

func (n *collector) table(t *lua.LTable) {
	for key, v := t.Next(lua.LNil); key != lua.LNil; key, v = t.Next(key) {
		name, ok := key.(lua.LString)
		if !ok || !value.IsName(string(name)) || n.method && v.Type() != lua.LTFunction {
			continue
		}
		n.add(string(name))
	}
}

// keywords that begin or go on with a statement or an expression.
var keywords = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
	"not", "or", "repeat", "return", "then", "true", "until", "while",
}
