package meta

import (
	"embed"
	"fmt"
	"slices"
	"sort"
)

//go:embed *.lua
var stubs embed.FS

// File is one stub as it is written into an editor's library folder.
type File struct {
	Name   string // "formation.lua"
	Source string
}

// Files returns the stubs, sorted by name.
func Files() []File {
	entries, err := stubs.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	files := make([]File, 0, len(entries))
	for _, entry := range entries {
		source, err := stubs.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		files = append(files, File{Name: entry.Name(), Source: string(source)})
	}
	return files
}

// Load reads the stubs that the program was built with. A test reads them too, so an error means that
// the program was built from a broken tree.
func Load() (*Docs, error) { return Parse(Files()) }

// Parse reads stubs. The root module "mur" comes first, the others follow in the order of their names.
func Parse(files []File) (*Docs, error) {
	docs := &Docs{classes: map[string]*Class{}, aliases: map[string]*Alias{}}
	for _, file := range files {
		module, err := parseFile(file.Name, file.Source)
		if err != nil {
			return nil, err
		}
		if docs.Module(module.Name) != nil {
			return nil, fmt.Errorf("%s: the module %s is described twice", file.Name, module.Name)
		}
		docs.Modules = append(docs.Modules, module)
		for _, class := range module.Classes {
			if docs.classes[class.Name] != nil {
				return nil, fmt.Errorf("%s: the class %s is described twice", file.Name, class.Name)
			}
			docs.classes[class.Name] = class
		}
		for _, alias := range module.Aliases {
			docs.aliases[alias.Name] = alias
		}
	}
	sort.SliceStable(docs.Modules, func(i, j int) bool { return docs.Modules[i].Name < docs.Modules[j].Name })
	return docs, nil
}

// Names returns the full names of all functions and methods, sorted.
func (d *Docs) Names() []string {
	var names []string
	for _, m := range d.Modules {
		for _, f := range m.Functions {
			names = append(names, f.Name)
		}
		for _, c := range m.Classes {
			for _, f := range c.Methods {
				names = append(names, f.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}
