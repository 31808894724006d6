package meta

import (
	"slices"
	"strings"
)

// Docs is everything the stubs say, in the order of the files and of the declarations in them.
type Docs struct {
	Modules []*Module
	classes map[string]*Class
	aliases map[string]*Alias
}

// Module is one Lua module, such as "mur.formation". Name "mur" is the root module.
type Module struct {
	Name      string
	Text      string // the description, with its example block removed
	Example   string // Lua source, empty when the module has none of its own
	Functions []*Function
	Values    []Field // what is not a function: constants
	Classes   []*Class
	Aliases   []*Alias
}

// Function is a function of a module ("mur.json.encode") or a method of a class ("mur.Formation:wait").
type Function struct {
	Name    string // the full name; a colon stands before a method's own name
	Text    string // the description, with the lines about errors and the example block removed
	Params  []Param
	Returns []Return
	Raises  []Raise
	Example string // Lua source, run by a test
	Async   bool   // it may block its task; other tasks run meanwhile
}

// Param is one parameter. A name of "..." takes any number of values.
type Param struct {
	Name     string
	Type     string
	Optional bool
	Text     string
}

// Return is one returned value; Name and Text may be empty.
type Return struct {
	Type string
	Name string
	Text string
}

// Raise is one kind of error object that a function raises, and when.
type Raise struct {
	Kind string
	When string
}

// Class is a table of options, a plain table of data or a handle.
type Class struct {
	Name    string // "mur.Plan"
	Parents []string
	Text    string
	Example string
	Fields  []Field
	Methods []*Function
}

// Field is one key of a class or one constant of a module. A name in brackets, "[string]", stands for
// any key of that type.
type Field struct {
	Name     string
	Type     string
	Optional bool
	Text     string
}

// Alias is a name for a type.
type Alias struct {
	Name string
	Type string
	Text string
}

// Module returns the module with this full name, nil when there is none.
func (d *Docs) Module(name string) *Module {
	for _, m := range d.Modules {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Function returns the function or method with this full name ("mur.formation.launch",
// "mur.Formation:wait"), nil when there is none.
func (d *Docs) Function(name string) *Function {
	for _, m := range d.Modules {
		for _, f := range m.Functions {
			if f.Name == name {
				return f
			}
		}
		for _, c := range m.Classes {
			for _, f := range c.Methods {
				if f.Name == name {
					return f
				}
			}
		}
	}
	return nil
}

// Class returns the class with this name, nil when there is none.
func (d *Docs) Class(name string) *Class { return d.classes[name] }

// Alias returns the alias with this name, nil when there is none.
func (d *Docs) Alias(name string) *Alias { return d.aliases[name] }

// Fields returns the fields of the class and of its parents, its own first.
func (d *Docs) Fields(c *Class) []Field {
	fields := slices.Clone(c.Fields)
	for _, name := range c.Parents {
		if parent := d.classes[name]; parent != nil && parent != c {
			fields = append(fields, d.Fields(parent)...)
		}
	}
	return fields
}

// Options returns the class that describes the table a call may give as the parameter with this index
// (from 0), nil when that parameter takes no table of known keys.
func (d *Docs) Options(f *Function, index int) *Class {
	if index < 0 || index >= len(f.Params) {
		return nil
	}
	return d.TableOf(f.Params[index].Type)
}

// TableOf returns the class among the alternatives of a type expression, so "string|mur.HTTPOptions"
// gives mur.HTTPOptions. A class with methods is an object that some function makes: a call cannot write it as a
// table, so it is passed over. Lists are not looked into: see [Docs.ElementOf].
func (d *Docs) TableOf(typ string) *Class { return d.pick(typ, "") }

// ElementOf returns the class of the elements when a list of tables is among the alternatives of the
// type expression: "mur.Member[]" gives mur.Member.
func (d *Docs) ElementOf(typ string) *Class { return d.pick(typ, "[]") }

// Tables returns every class among the alternatives of a type expression, aliases followed; with a suffix of "[]" the
// classes of lists' elements. open says that one of the alternatives is a table of unknown keys.
func (d *Docs) Tables(typ, suffix string) (classes []*Class, open bool) {
	for _, one := range d.Alternatives(typ) {
		if one == "any" || strings.HasPrefix(one, "table") || strings.HasPrefix(one, "{") {
			open = true
		}
		if name, ok := strings.CutSuffix(one, suffix); ok && d.classes[name] != nil {
			classes = append(classes, d.classes[name])
		}
	}
	return classes, open
}

func (d *Docs) pick(typ, suffix string) *Class {
	classes, _ := d.Tables(typ, suffix)
	for _, c := range classes {
		if len(c.Methods) == 0 {
			return c
		}
	}
	return nil
}

// Accepts tells whether a table described by the class may have this key: one of its fields, or any key
// when the class says so with a "[string]" field.
func (d *Docs) Accepts(c *Class, key string) bool {
	for _, f := range d.Fields(c) {
		if f.Name == key || f.Name == "[string]" {
			return true
		}
	}
	return false
}

// Returned is the type of the function's first value, empty when it returns none.
func (f *Function) Returned() string {
	if len(f.Returns) == 0 {
		return ""
	}
	return f.Returns[0].Type
}
