package formation

import (
	"slices"
	"strings"
)

// Order returns the members in the order in which they can be started: each list can start at the same
// time once the lists before it are ready. The entry is in a list of its own at the end. Stopping goes the
// other way. It needs a plan that [Plan.Check] accepts.
func (p Plan) Order() [][]string {
	level := map[string]int{}
	var depth func(name string) int
	depth = func(name string) int {
		if d, ok := level[name]; ok {
			return d
		}
		m, _ := p.Member(name)
		d := 0
		for _, before := range m.After {
			d = max(d, depth(before)+1)
		}
		level[name] = d
		return d
	}
	var order [][]string
	for _, m := range p.Peers() {
		d := depth(m.Name)
		for len(order) <= d {
			order = append(order, nil)
		}
		order[d] = append(order[d], m.Name)
	}
	if entry, ok := p.Entry(); ok {
		order = append(order, []string{entry.Name})
	}
	return order
}

// Circle finds members that wait for each other. It returns the first of them and a sentence that names them all, in
// their order and the first again at its end; nothing when none do. The names are visited in the given order, after
// returns those that a member waits for.
func Circle(names []string, after func(name string) []string) (first, sentence string) {
	const (
		entered = 1
		left    = 2
	)
	state := map[string]int{}
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		switch state[name] {
		case left:
			return nil
		case entered:
			return append(path[slices.Index(path, name):], name)
		}
		state[name] = entered
		path = append(path, name)
		for _, before := range after(name) {
			if found := visit(before); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		state[name] = left
		return nil
	}
	for _, name := range names {
		if found := visit(name); found != nil {
			return found[0], "members wait for each other: " + strings.Join(found, " → ")
		}
	}
	return "", ""
}

// circle is what [Circle] says of the plan's members.
func (p Plan) circle() string {
	_, sentence := Circle(p.names(), func(name string) []string {
		m, _ := p.Member(name)
		return m.After
	})
	return sentence
}
