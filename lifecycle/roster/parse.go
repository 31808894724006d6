package roster

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"murlua/lifecycle/id"
)

// File is the name of a roster in its project's directory.
const File = "roster.yaml"

// Roster is what the file says. Its members' names, capsules and versions are well-formed, and no rule calls its own member; nothing
// else has been checked.
type Roster struct {
	Members []Listed
	// All is `reachability: all`: everyone who takes tasks from peers may call everyone else who does, but not the entry.
	All bool
	// Rules say who may call whom; none, without All, means that nobody calls anybody.
	Rules []Rule
}

// Listed is a member as the file lists it.
type Listed struct {
	Name    string
	Capsule string // "scope/name", or a bare name
	Version string // as it is written
	Entry   bool
}

// Rule lets one member call others.
type Rule struct {
	From string
	To   []string
}

// Parse reads the text of a roster. The error is a [*Refusal] with [CodeShape], which names the key that is wrong.
func Parse(text []byte) (Roster, error) {
	root, err := document(text)
	if err != nil {
		return Roster{}, refuse(CodeShape, "", "%s: %v", File, err)
	}
	if !isMapping(root) {
		return Roster{}, refuse(CodeShape, "", "%s: must be a mapping with roster_version and members, found %s", File, shape(root))
	}
	top, refusal := mapping(root, "", "roster_version", "members", "reachability")
	if refusal != nil {
		return Roster{}, refusal
	}
	switch version, ok := whole(present(top["roster_version"])); {
	case present(top["roster_version"]) == nil:
		return Roster{}, fault("roster_version", "is required")
	case !ok || version != 1:
		return Roster{}, fault("roster_version", "must be 1, the only format there is; found "+shape(top["roster_version"]))
	}
	var r Roster
	if r.Members, refusal = members(present(top["members"])); refusal != nil {
		return Roster{}, refusal
	}
	if r.All, r.Rules, refusal = reachability(present(top["reachability"])); refusal != nil {
		return Roster{}, refusal
	}
	return r, nil
}

// fault is what is wrong at a place of the file.
func fault(path, problem string) *Refusal {
	return refuse(CodeShape, "", "%s: %s: %s", File, path, problem)
}

// mapping returns the fields of a mapping that may have these keys and no others.
func mapping(node *yaml.Node, path string, known ...string) (map[string]*yaml.Node, *Refusal) {
	values, bad := fields(node)
	where := path
	if where == "" {
		where = "the top level"
	}
	if bad != "" {
		return nil, fault(where, "has "+bad)
	}
	if key := unknown(values, known...); key != "" {
		if path != "" {
			key = path + "." + key
		}
		return nil, fault(key, "unknown key; "+where+" takes only "+strings.Join(known, ", "))
	}
	return values, nil
}

func members(list *yaml.Node) ([]Listed, *Refusal) {
	switch {
	case list == nil:
		return nil, fault("members", "is required")
	case !isSequence(list):
		return nil, fault("members", "must be a list, found "+shape(list))
	case len(list.Content) == 0:
		return nil, fault("members", "must list at least one member")
	}
	all := make([]Listed, len(list.Content))
	for i, node := range list.Content {
		var refusal *Refusal
		if all[i], refusal = member(resolve(node), fmt.Sprintf("members[%d]", i)); refusal != nil {
			return nil, refusal
		}
	}
	return all, nil
}

func member(node *yaml.Node, path string) (Listed, *Refusal) {
	if !isMapping(node) {
		return Listed{}, fault(path, "must be a mapping, found "+shape(node))
	}
	values, refusal := mapping(node, path, "name", "capsule", "version", "entry")
	if refusal != nil {
		return Listed{}, refusal
	}
	var m Listed
	if m.Name, refusal = text(values, path, "name"); refusal != nil {
		return Listed{}, refusal
	}
	if !id.ValidMember(m.Name) {
		return Listed{}, fault(path+".name", "'"+m.Name+"' is no member name: a lower-case letter, then at most 31 lower-case letters, digits or hyphens")
	}
	path += " (" + m.Name + ")"
	if m.Capsule, refusal = text(values, path, "capsule"); refusal != nil {
		return Listed{}, refusal
	}
	if !validCapsule(m.Capsule) {
		return Listed{}, fault(path+".capsule", "'"+m.Capsule+"' is no name of a capsule: scope/name, each of lower-case letters, digits and hyphens")
	}
	if m.Version, refusal = exactVersion(present(values["version"]), path+".version"); refusal != nil {
		return Listed{}, refusal
	}
	if flag := present(values["entry"]); flag != nil {
		var ok bool
		if m.Entry, ok = boolean(flag); !ok {
			return Listed{}, fault(path+".entry", "must be true or false, found "+shape(flag))
		}
	}
	return m, nil
}

// text returns a required string.
func text(values map[string]*yaml.Node, path, key string) (string, *Refusal) {
	node := present(values[key])
	switch {
	case node == nil:
		return "", fault(path+"."+key, "is required")
	case !isString(node):
		return "", fault(path+"."+key, "must be a string, found "+shape(node))
	}
	return node.Value, nil
}

// validCapsule reports whether a name is "scope/name" or a bare name.
func validCapsule(name string) bool {
	scope, bare, scoped := strings.Cut(name, "/")
	if !scoped {
		return id.ValidCapsule(name)
	}
	return id.ValidCapsule(scope) && id.ValidCapsule(bare)
}

// exactVersion returns a version as it is written: an unquoted 1.10 is not 1.1.
func exactVersion(node *yaml.Node, path string) (string, *Refusal) {
	if node == nil {
		return "", fault(path, "is required")
	}
	if node.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool"}, node.ShortTag()) {
		return "", fault(path, "must be a version, found "+shape(node))
	}
	if isString(node) {
		switch strings.ToLower(node.Value) {
		case "latest", "stable", "edge":
			return "", fault(path, "'"+node.Value+"' is no exact version; a member pins the version that it runs")
		}
		if strings.TrimSpace(node.Value) == "" {
			return "", fault(path, "must not be blank; a member pins an exact version")
		}
	}
	return node.Value, nil
}

func reachability(node *yaml.Node) (all bool, rules []Rule, refusal *Refusal) {
	switch {
	case node == nil:
		return false, nil, nil
	case isString(node) && node.Value == "all":
		return true, nil, nil
	case isString(node):
		return false, nil, fault("reachability", "'"+node.Value+"' is no reachability; write all, or a list of rules")
	case !isSequence(node):
		return false, nil, fault("reachability", "must be all or a list of rules, found "+shape(node))
	}
	for i, entry := range node.Content {
		r, refusal := rule(resolve(entry), fmt.Sprintf("reachability[%d]", i))
		if refusal != nil {
			return false, nil, refusal
		}
		rules = append(rules, r)
	}
	return false, rules, nil
}

func rule(node *yaml.Node, path string) (Rule, *Refusal) {
	if !isMapping(node) {
		return Rule{}, fault(path, "must be a mapping with from and to, found "+shape(node))
	}
	values, refusal := mapping(node, path, "from", "to")
	if refusal != nil {
		return Rule{}, refusal
	}
	var r Rule
	if r.From, refusal = text(values, path, "from"); refusal != nil {
		return Rule{}, refusal
	}
	switch to := present(values["to"]); {
	case to == nil:
		return Rule{}, fault(path+".to", "is required")
	case !isSequence(to):
		return Rule{}, fault(path+".to", "must be a list of member names, found "+shape(to))
	case len(to.Content) == 0:
		return Rule{}, fault(path+".to", "must name at least one member that '"+r.From+"' may call")
	default:
		for i, name := range to.Content {
			if name = resolve(name); !isString(name) {
				return Rule{}, fault(fmt.Sprintf("%s.to[%d]", path, i), "must be a member name, found "+shape(name))
			}
			r.To = append(r.To, resolve(to.Content[i]).Value)
		}
	}
	if slices.Contains(r.To, r.From) {
		return Rule{}, fault(path+".to", "lists '"+r.From+"', whose rule it is; a member never calls itself")
	}
	return r, nil
}
