package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"murlua/bindings"
)

// showPlan prints what a launch would do.
func (c *runCommand) showPlan(o *outside, plan bindings.PlanView) {
	if !c.JSON {
		writeAll(o.stdout, planText(plan))
		return
	}
	if text, err := json.MarshalIndent(plan, "", "  "); err == nil {
		writeAll(o.stdout, string(text)+"\n")
	}
}

// planText lists the members in the order in which they start: the number is the same for those that start together.
func planText(plan bindings.PlanView) string {
	var rows [][]string
	for step, names := range plan.Order {
		for _, name := range names {
			i := slices.IndexFunc(plan.Members, func(m bindings.PlanMember) bool { return m.Name == name })
			m := plan.Members[i]
			rows = append(rows, []string{fmt.Sprint(step + 1), m.Name, m.Kind, m.What, relations(m), m.Ready})
		}
	}
	rows = append([][]string{{"STEP", "MEMBER", "KIND", "WHAT", "NEEDS", "READY WHEN"}}, rows...)
	named := ""
	if plan.Name != "" {
		named = "formation " + plan.Name + "\n"
	}
	return named + bindings.Columns(rows)
}

func relations(m bindings.PlanMember) string {
	var parts []string
	if m.Entry {
		parts = append(parts, "entry")
	}
	if len(m.After) > 0 {
		parts = append(parts, "after "+strings.Join(m.After, ", "))
	}
	if len(m.Calls) > 0 {
		parts = append(parts, "calls "+strings.Join(m.Calls, ", "))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}
