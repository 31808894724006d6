package meta

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// parser reads one stub file. Comment lines gather until the declaration they belong to.
type parser struct {
	file    string
	line    int
	module  *Module
	locals  map[string]string // the local variable of a stub → the module or class it stands for
	byName  map[string]*Class
	text    []string
	params  []Param
	returns []Return
	async   bool
	class   *Class  // the class whose @field lines are being read
	last    *string // the text of the last @field, @param or @return line: indented lines go on with it
	inFence bool
}

var (
	reFunction = onFirstUse(`^function\s+([A-Za-z_][\w]*)([.:])([A-Za-z_]\w*)\s*\(([^)]*)\)\s*end$`)
	reLocal    = onFirstUse(`^local\s+([A-Za-z_]\w*)\s*=\s*\{\}$`)
	reValue    = onFirstUse(`^([A-Za-z_]\w*)\.([A-Za-z_]\w*)\s*=\s*\S.*$`)
	reReturn   = onFirstUse(`^return\s+[A-Za-z_]\w*$`)
	reRaises   = onFirstUse("^Raises `([a-z_]+)` (.+)$")
	reName     = onFirstUse(`^(\[\w+\]|\.\.\.|[A-Za-z_]\w*)(\?)?$`)
)

// onFirstUse compiles the expression when it is first needed: most runs need none, and all would wait for it.
func onFirstUse(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// parseFile reads one stub. Whatever it does not know is an error: a misspelt tag would lose its text
// silently otherwise.
func parseFile(file, source string) (*Module, error) {
	p := &parser{file: file, module: &Module{}, locals: map[string]string{}, byName: map[string]*Class{}}
	for line := range strings.Lines(source) {
		p.line++
		if err := p.take(strings.TrimRight(line, " \t\r\n")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, p.line, err)
		}
	}
	if p.module.Name == "" {
		return nil, fmt.Errorf("%s: no ---@meta line names the module", file)
	}
	return p.module, nil
}

func (p *parser) take(line string) error {
	if comment, ok := strings.CutPrefix(line, "---"); ok {
		if strings.HasPrefix(comment, "@") && !p.inFence {
			return p.tag(comment[1:])
		}
		if more, ok := strings.CutPrefix(comment, "   "); ok && p.last != nil && !p.inFence {
			*p.last = strings.TrimSpace(*p.last + " " + more)
			return nil
		}
		p.last = nil
		comment = strings.TrimPrefix(comment, " ")
		if strings.HasPrefix(comment, "```") {
			p.inFence = !p.inFence
		}
		p.text = append(p.text, comment)
		return nil
	}
	p.last = nil
	if p.inFence {
		return fmt.Errorf("an example block is not closed")
	}
	switch trimmed := strings.TrimSpace(line); {
	case trimmed == "":
		return p.blank()
	case strings.HasPrefix(trimmed, "--"): // an ordinary comment
		return nil
	case reReturn().MatchString(trimmed):
		return nil
	case reLocal().MatchString(trimmed):
		return p.local(reLocal().FindStringSubmatch(trimmed)[1])
	case reFunction().MatchString(trimmed):
		return p.function(reFunction().FindStringSubmatch(trimmed))
	case reValue().MatchString(trimmed):
		return p.value(reValue().FindStringSubmatch(trimmed))
	default:
		return fmt.Errorf("a stub holds annotations and empty bodies only, not %q", trimmed)
	}
}

// tag reads one annotation.
func (p *parser) tag(s string) error {
	name, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	p.last = nil
	switch name {
	case "meta":
		p.module.Name = rest
	case "class":
		return p.classTag(rest)
	case "field":
		return p.fieldTag(rest)
	case "alias":
		aliasName, rest, _ := strings.Cut(rest, " ")
		typ, inline := cutType(rest)
		text, _, _ := p.description(inline)
		p.module.Aliases = append(p.module.Aliases, &Alias{Name: aliasName, Type: typ, Text: text})
	case "param":
		word, rest, _ := strings.Cut(rest, " ")
		m := reName().FindStringSubmatch(word)
		if m == nil {
			return fmt.Errorf("cannot read the parameter name %q", word)
		}
		typ, text := cutType(rest)
		p.params = append(p.params, Param{Name: m[1], Optional: m[2] != "", Type: typ, Text: text})
		p.last = &p.params[len(p.params)-1].Text
	case "return":
		typ, rest := cutType(rest)
		name, text := rest, ""
		if before, after, found := strings.Cut(rest, "#"); found {
			name, text = before, after
		} else if before, after, found := strings.Cut(rest, " "); found {
			name, text = before, after
		}
		p.returns = append(p.returns, Return{Type: typ, Name: strings.TrimSpace(name), Text: strings.TrimSpace(text)})
		p.last = &p.returns[len(p.returns)-1].Text
	case "async":
		p.async = true
	case "type":
		typ, inline := cutType(rest)
		p.params = append(p.params, Param{Name: "=", Type: typ, Text: inline})
	case "nodiscard":
	default:
		return fmt.Errorf("unknown annotation @%s", name)
	}
	return nil
}

func (p *parser) classTag(rest string) error {
	name, parents, _ := strings.Cut(rest, ":")
	name = strings.TrimSpace(name)
	text, _, example := p.description("")
	if name == p.module.Name {
		p.module.Text, p.module.Example = text, example
		p.class = nil
		p.locals[""] = name
		return nil
	}
	p.class = &Class{Name: name, Text: text, Example: example}
	for parent := range strings.SplitSeq(parents, ",") {
		if parent = strings.TrimSpace(parent); parent != "" {
			p.class.Parents = append(p.class.Parents, parent)
		}
	}
	p.byName[name] = p.class
	p.locals[""] = name
	p.module.Classes = append(p.module.Classes, p.class)
	return nil
}

func (p *parser) fieldTag(rest string) error {
	word, rest, _ := strings.Cut(rest, " ")
	m := reName().FindStringSubmatch(word)
	if m == nil {
		return fmt.Errorf("cannot read the field name %q", word)
	}
	typ, inline := cutType(rest)
	text, _, _ := p.description(inline)
	field := Field{Name: m[1], Optional: m[2] != "", Type: typ, Text: text}
	switch {
	case p.class != nil:
		p.class.Fields = append(p.class.Fields, field)
		p.last = &p.class.Fields[len(p.class.Fields)-1].Text
	case p.locals[""] == p.module.Name:
		p.module.Values = append(p.module.Values, field)
		p.last = &p.module.Values[len(p.module.Values)-1].Text
	default:
		return fmt.Errorf("the field %q belongs to no class", word)
	}
	return nil
}

// local binds a stub's local variable to the class or module declared just before it.
func (p *parser) local(name string) error {
	target, ok := p.locals[""]
	if !ok {
		return fmt.Errorf("the local %q follows no @class", name)
	}
	delete(p.locals, "")
	p.locals[name] = target
	p.class = nil
	return nil
}

func (p *parser) function(m []string) error {
	target, ok := p.locals[m[1]]
	if !ok {
		return fmt.Errorf("%q is no module or class of this stub", m[1])
	}
	text, raises, example := p.description("")
	f := &Function{
		Name: target + m[2] + m[3], Text: text, Raises: raises, Example: example,
		Params: p.params, Returns: p.returns, Async: p.async,
	}
	p.params, p.returns, p.async = nil, nil, false
	var declared []string
	for name := range strings.SplitSeq(m[4], ",") {
		if name = strings.TrimSpace(name); name != "" {
			declared = append(declared, name)
		}
	}
	if len(declared) != len(f.Params) {
		return fmt.Errorf("%s has %d parameters and %d @param lines", f.Name, len(declared), len(f.Params))
	}
	for i, name := range declared {
		if f.Params[i].Name != name {
			return fmt.Errorf("%s: the parameter %q is described as %q", f.Name, name, f.Params[i].Name)
		}
	}
	if class := p.byName[target]; class != nil {
		class.Methods = append(class.Methods, f)
		return nil
	}
	p.module.Functions = append(p.module.Functions, f)
	return nil
}

func (p *parser) value(m []string) error {
	target, ok := p.locals[m[1]]
	if !ok || target != p.module.Name {
		return fmt.Errorf("%q is not the module of this stub", m[1])
	}
	text, _, _ := p.description("")
	field := Field{Name: m[2], Type: "any", Text: text}
	if len(p.params) == 1 && p.params[0].Name == "=" {
		field.Type = p.params[0].Type
	}
	p.params = nil
	p.module.Values = append(p.module.Values, field)
	return nil
}

// blank ends a class's fields; text that belongs to nothing is an error.
func (p *parser) blank() error {
	if len(p.text) > 0 || len(p.params) > 0 {
		return fmt.Errorf("the comment above belongs to no declaration")
	}
	p.class = nil
	return nil
}

// description takes the gathered text apart: prose, errors, each up to a line that is empty or begins another, and the
// example blocks as one. inline is the text on the annotation's own line; it follows the prose.
func (p *parser) description(inline string) (text string, raises []Raise, example string) {
	var prose, code []string
	fenced, raising := false, false // inside of a block, or of an error
	for _, line := range p.text {
		m := reRaises().FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			if fenced, raising = !fenced, false; fenced && len(code) > 0 {
				code = append(code, "")
			}
		case fenced:
			code = append(code, line)
		case m != nil:
			raises, raising = append(raises, Raise{Kind: m[1], When: m[2]}), true
		case raising && strings.TrimSpace(line) != "":
			raises[len(raises)-1].When += " " + strings.TrimSpace(line)
		default:
			prose, raising = append(prose, line), false
		}
	}
	p.text = nil
	for i := range raises {
		raises[i].When = strings.TrimSuffix(raises[i].When, ".")
	}
	if inline != "" {
		prose = append(prose, inline)
	}
	return strings.TrimSpace(strings.Join(prose, "\n")), raises, strings.Join(code, "\n")
}
