package meta

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// aliasHelp is the page of a type that is only a name for others: what it stands for, and where it is used.
func (d *Docs) aliasHelp(a *Alias) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.Name)
	if a.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", indent(a.Text, "  "))
	}
	var rows [][2]string
	for _, one := range alternatives(a.Type) {
		text := ""
		if c := d.Class(one); c != nil {
			text = Summary(c.Text)
		}
		rows = append(rows, [2]string{one, text})
	}
	title := "Is one of"
	if len(rows) == 1 {
		title = "Is"
	}
	section(&b, title, rows)
	section(&b, "Used by", d.usersOf(a.Name))
	return b.String()
}

// usersOf lists what takes, returns or holds a type, sorted by name, and what it is there.
func (d *Docs) usersOf(name string) [][2]string {
	word := regexp.MustCompile(regexp.QuoteMeta(name) + `\b`)
	var rows [][2]string
	add := func(where, typ, as string) {
		if word.MatchString(typ) {
			rows = append(rows, [2]string{where, as})
		}
	}
	function := func(f *Function) {
		for _, p := range f.Params {
			add(f.Name, p.Type, "takes it as "+p.Name)
		}
		for _, r := range f.Returns {
			add(f.Name, r.Type, "returns it")
		}
	}
	for _, m := range d.Modules {
		for _, f := range m.Functions {
			function(f)
		}
		for _, a := range m.Aliases {
			if a.Name != name {
				add(a.Name, a.Type, "includes it")
			}
		}
		for _, c := range m.Classes {
			for _, f := range c.Methods {
				function(f)
			}
			for _, f := range c.Fields {
				add(c.Name, f.Type, "its key "+f.Name)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return rows
}
