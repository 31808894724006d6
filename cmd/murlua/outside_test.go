package main

import "testing"

func TestStartsProcessesGuessesRecipes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"run"}, false},
		{[]string{"ps", "x.lua"}, false},
		{[]string{"run", "x.lua"}, true},
		{[]string{"run", "--json", "x.lua", "--plan"}, true},
		{[]string{"run", "--plan", "x.lua"}, false},
		{[]string{"run", "--help"}, false},
		{[]string{"run", "--capsule", "coder"}, false},
		{[]string{"run", "--capsule-version=1", "x"}, false},
	} {
		if got := startsProcesses(c.args); got != c.want {
			t.Errorf("startsProcesses(%q) = %v", c.args, got)
		}
	}
}
