package formation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Select returns the plan of some members. With only, it has those and what they need: the members that they start
// after and those that they call, theirs, and so on. It has none of except; a member that needs one of those is an error.
// Both empty is the whole plan. Names that are no member's are an error.
func (p Plan) Select(only, except []string) (Plan, error) {
	for _, name := range slices.Concat(only, except) {
		if _, ok := p.Member(name); !ok {
			return Plan{}, fmt.Errorf("cannot select %q: it is not a member; the members are %s", name, strings.Join(p.names(), ", "))
		}
	}
	wanted := map[string]bool{}
	var want func(name string)
	want = func(name string) {
		if wanted[name] {
			return
		}
		wanted[name] = true
		m, _ := p.Member(name)
		for _, need := range m.needs() {
			want(need)
		}
	}
	if len(only) == 0 {
		only = slices.DeleteFunc(p.names(), func(name string) bool { return slices.Contains(except, name) })
	}
	for _, name := range only {
		want(name)
	}
	var wrong []error
	selected := Plan{Name: p.Name}
	for _, m := range p.Members {
		if !wanted[m.Name] {
			continue
		}
		selected.Members = append(selected.Members, m)
		for _, need := range m.needs() {
			if slices.Contains(except, need) {
				wrong = append(wrong, fmt.Errorf("cannot leave out %q: %q needs it", need, m.Name))
			}
		}
	}
	if len(wrong) == 0 && len(selected.Members) == 0 && len(p.Members) > 0 {
		wrong = append(wrong, errors.New("cannot leave out every member"))
	}
	return selected, errors.Join(wrong...)
}

// needs are the members without which this one cannot do.
func (m *Member) needs() []string { return slices.Concat(m.After, m.Calls) }

func (p Plan) names() []string {
	names := make([]string, len(p.Members))
	for i, m := range p.Members {
		names[i] = m.Name
	}
	return names
}
