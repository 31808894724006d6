package meta

import (
	"fmt"
	"slices"
	"strings"
)

// Help returns the text for a topic as it is shown on a terminal, without colours: a module, a function, a
// method ("mur.Formation:wait" or "Formation:wait"), a class or another type. The leading "mur." may be left out. It is
// false when nothing has that name; [Docs.Nearest] then has suggestions.
func (d *Docs) Help(topic string) (string, bool) {
	for _, name := range []string{topic, "mur." + topic} {
		if m := d.Module(name); m != nil {
			return d.moduleHelp(m), true
		}
		if f := d.Function(name); f != nil {
			return d.functionHelp(f), true
		}
		if c := d.Class(name); c != nil {
			return d.classHelp(c), true
		}
		if a := d.Alias(name); a != nil {
			return d.aliasHelp(a), true
		}
		if v, ok := d.value(name); ok {
			return fmt.Sprintf("%s  %s\n\n%s\n", name, v.Type, indent(v.Text, "  ")), true
		}
	}
	return "", false
}

func (d *Docs) value(name string) (Field, bool) {
	for _, m := range d.Modules {
		for _, v := range m.Values {
			if m.Name+"."+v.Name == name {
				return v, true
			}
		}
	}
	return Field{}, false
}

// Signature is the call as it is written, with the names of what comes back:
// "mur.json.encode(value, options?) -> text".
func (f *Function) Signature() string {
	var params, returns []string
	for _, p := range f.Params {
		name := p.Name
		if p.Optional {
			name += "?"
		}
		params = append(params, name)
	}
	for _, r := range f.Returns {
		name := r.Name
		if name == "" {
			name = r.Type
		}
		returns = append(returns, name)
	}
	signature := f.Name + "(" + strings.Join(params, ", ") + ")"
	if len(returns) > 0 {
		signature += " -> " + strings.Join(returns, ", ")
	}
	return signature
}

// Summary is the first sentence of a description, on one line.
func Summary(text string) string {
	paragraph, _, _ := strings.Cut(text, "\n\n")
	line := strings.Join(strings.Fields(paragraph), " ")
	for i := range len(line) {
		if line[i] == '.' && (i+1 == len(line) || line[i+1] == ' ') {
			return line[:i+1]
		}
	}
	return line
}

func (d *Docs) moduleHelp(m *Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", m.Name, indent(m.Text, "  "))
	var rows [][2]string
	for _, f := range m.Functions {
		rows = append(rows, [2]string{strings.TrimPrefix(f.Signature(), m.Name+"."), Summary(f.Text)})
	}
	for _, v := range m.Values {
		rows = append(rows, [2]string{v.Name, Summary(v.Text)})
	}
	section(&b, "Functions", rows)
	rows = nil
	for _, c := range m.Classes {
		for _, f := range c.Methods {
			rows = append(rows, [2]string{strings.TrimPrefix(f.Signature(), "mur."), Summary(f.Text)})
		}
	}
	section(&b, "Methods", rows)
	if m.Name == "mur" {
		rows = nil
		for _, other := range d.Modules {
			if other.Name != "mur" {
				rows = append(rows, [2]string{other.Name, Summary(other.Text)})
			}
		}
		section(&b, "Modules", rows)
	}
	example(&b, m.Example)
	return b.String()
}

func (d *Docs) functionHelp(f *Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", f.Signature(), indent(f.Text, "  "))
	var rows [][2]string
	for _, p := range f.Params {
		rows = append(rows, [2]string{optional(p.Name, p.Optional) + "  " + p.Type, p.Text})
	}
	section(&b, "Parameters", rows)
	for i := range f.Params {
		c := d.Options(f, i)
		if c == nil {
			c = d.ElementOf(f.Params[i].Type)
		}
		if c != nil {
			section(&b, "Keys of "+f.Params[i].Name+" ("+c.Name+")", d.fieldRows(c))
		}
	}
	rows = nil
	for _, r := range f.Returns {
		rows = append(rows, [2]string{strings.TrimSpace(r.Name + "  " + r.Type), r.Text})
	}
	section(&b, "Returns", rows)
	rows = nil
	for _, r := range f.Raises {
		rows = append(rows, [2]string{r.Kind, r.When})
	}
	section(&b, "Raises", rows)
	example(&b, f.Example)
	return b.String()
}

func (d *Docs) classHelp(c *Class) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.Name)
	if c.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", indent(c.Text, "  "))
	}
	section(&b, "Fields", d.fieldRows(c))
	var rows [][2]string
	for _, f := range c.Methods {
		rows = append(rows, [2]string{strings.TrimPrefix(f.Signature(), "mur."), Summary(f.Text)})
	}
	section(&b, "Methods", rows)
	example(&b, c.Example)
	return b.String()
}

func (d *Docs) fieldRows(c *Class) [][2]string {
	var rows [][2]string
	for _, f := range d.Fields(c) {
		rows = append(rows, [2]string{optional(f.Name, f.Optional) + "  " + f.Type, f.Text})
	}
	return rows
}

func optional(name string, is bool) string {
	if is {
		return name + "?"
	}
	return name
}

// Topics returns every name that [Docs.Help] knows, sorted.
func (d *Docs) Topics() []string {
	topics := d.Names()
	for _, m := range d.Modules {
		topics = append(topics, m.Name)
		for _, v := range m.Values {
			topics = append(topics, m.Name+"."+v.Name)
		}
		for _, c := range m.Classes {
			topics = append(topics, c.Name)
		}
		for _, a := range m.Aliases {
			topics = append(topics, a.Name)
		}
	}
	slices.Sort(topics)
	return topics
}
