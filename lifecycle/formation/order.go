package formation

import "slices"

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

// cycle returns the path of a circle of After, beginning and ending with the same name, or nil.
func (p Plan) cycle() []string {
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
			return append(slices.Clone(path[slices.Index(path, name):]), name)
		}
		state[name] = entered
		path = append(path, name)
		m, _ := p.Member(name)
		for _, before := range m.After {
			if found := visit(before); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		state[name] = left
		return nil
	}
	for _, m := range p.Members {
		if found := visit(m.Name); found != nil {
			return found
		}
	}
	return nil
}
