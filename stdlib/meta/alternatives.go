package meta

import "strings"

// Signature is a function type: what such a function is called with and what it returns.
type Signature struct {
	Params  []Param
	Returns []string // type expressions; empty when nothing is said of them
}

// Alternatives returns the types of which a type expression is one, aliases followed. A type with a question mark is that
// type, or "nil".
func (d *Docs) Alternatives(typ string) []string { return d.alternativesWithin(typ, 8) }

// alternativesWithin follows aliases no deeper than depth, so that an alias of itself ends, as any type.
func (d *Docs) alternativesWithin(typ string, depth int) (all []string) {
	if depth == 0 {
		return []string{"any"}
	}
	for _, one := range alternatives(typ) {
		one, optional := one, false
		if !strings.HasPrefix(one, "fun(") {
			one, optional = strings.CutSuffix(one, "?")
		}
		switch alias := d.aliases[one]; {
		case alias != nil:
			all = append(all, d.alternativesWithin(alias.Type, depth-1)...)
		case one != "":
			all = append(all, one)
		}
		if optional {
			all = append(all, "nil")
		}
	}
	return all
}

// Elements returns the types of the elements of the lists among the alternatives of a type expression: "mur.Member" for
// "mur.Member[]|string".
func (d *Docs) Elements(typ string) (types []string) {
	for _, one := range d.Alternatives(typ) {
		if of, ok := strings.CutSuffix(one, "[]"); ok {
			if inner, ok := strings.CutPrefix(of, "("); ok {
				of = strings.TrimSuffix(inner, ")")
			}
			types = append(types, of)
		}
	}
	return types
}

// Values returns the types of what tables with any key hold: "string" for "table<string, string>".
func (d *Docs) Values(typ string) (types []string) {
	for _, one := range d.Alternatives(typ) {
		if inside, ok := strings.CutPrefix(one, "table<"); ok {
			if parts := split(strings.TrimSuffix(inside, ">"), ','); len(parts) == 2 {
				types = append(types, parts[1])
			}
		}
	}
	return types
}

// Signatures returns the function types among the alternatives of a type expression.
func (d *Docs) Signatures(typ string) (found []Signature) {
	for _, one := range d.Alternatives(typ) {
		inside, ok := strings.CutPrefix(one, "fun(")
		if !ok {
			continue
		}
		end := closing(inside)
		if end < 0 {
			continue
		}
		var s Signature
		for _, param := range split(inside[:end], ',') {
			name, typ, _ := strings.Cut(param, ":")
			if name, optional := strings.CutSuffix(strings.TrimSpace(name), "?"); name != "" {
				s.Params = append(s.Params, Param{Name: name, Type: strings.TrimSpace(typ), Optional: optional})
			}
		}
		if results, ok := strings.CutPrefix(inside[end+1:], ":"); ok {
			s.Returns = split(results, ',')
		}
		found = append(found, s)
	}
	return found
}

// closing is where the bracket is closed that was opened before the text; -1 when it is not.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
