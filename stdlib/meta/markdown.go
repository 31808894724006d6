package meta

import (
	"fmt"
	"strings"
)

// Markdown returns the reference page of a module. The pages in docs/reference are made by it; a test
// compares them.
func (d *Docs) Markdown(m *Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Made from stdlib/meta by `go generate ./stdlib/meta`: change it there. -->\n\n# %s\n\n%s\n", m.Name, m.Text)
	code(&b, m.Example)
	if m.Name == "mur" {
		b.WriteString("\n| Module | |\n|---|---|\n")
		for _, other := range d.Modules {
			if other != m {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", other.Name, other.Name, cell(Summary(other.Text)))
			}
		}
	}
	if len(m.Values) > 0 {
		b.WriteString("\n| Value | Type | |\n|---|---|---|\n")
		for _, v := range m.Values {
			fmt.Fprintf(&b, "| `%s.%s` | `%s` | %s |\n", m.Name, v.Name, cell(v.Type), cell(v.Text))
		}
	}
	for _, f := range m.Functions {
		d.functionMarkdown(&b, f)
	}
	for _, c := range m.Classes {
		fmt.Fprintf(&b, "\n## %s\n", c.Name)
		if c.Text != "" {
			fmt.Fprintf(&b, "\n%s\n", c.Text)
		}
		code(&b, c.Example)
		if fields := d.Fields(c); len(fields) > 0 {
			b.WriteString("\n| Key | Type | |\n|---|---|---|\n")
			for _, f := range fields {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", optional(f.Name, f.Optional), cell(f.Type), cell(f.Text))
			}
		}
		for _, f := range c.Methods {
			d.functionMarkdown(&b, f)
		}
	}
	if len(m.Aliases) > 0 {
		b.WriteString("\n## Types\n\n| Name | Type | |\n|---|---|---|\n")
		for _, a := range m.Aliases {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", a.Name, cell(a.Type), cell(a.Text))
		}
	}
	return b.String()
}

func (d *Docs) functionMarkdown(b *strings.Builder, f *Function) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n", f.Signature(), f.Text)
	if len(f.Params) > 0 {
		b.WriteString("\n| Parameter | Type | |\n|---|---|---|\n")
		for _, p := range f.Params {
			fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", optional(p.Name, p.Optional), cell(p.Type), cell(p.Text))
		}
	}
	for i, r := range f.Returns {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "Returns `%s`", r.Type)
		if r.Name != "" {
			fmt.Fprintf(b, " %s", r.Name)
		}
		if r.Text != "" {
			fmt.Fprintf(b, ": %s", r.Text)
		}
		b.WriteString("  \n")
	}
	for i, r := range f.Raises {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- Raises `%s` %s.\n", r.Kind, r.When)
	}
	code(b, f.Example)
}

func code(b *strings.Builder, source string) {
	if source != "" {
		fmt.Fprintf(b, "\n```lua\n%s\n```\n", source)
	}
}

func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
