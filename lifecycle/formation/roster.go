package formation

import "murlua/lifecycle/roster"

// PlanOf returns the plan of an admitted roster: murmur's capsules, each bound to the artifact that was admitted. Its project directory belongs
// into [Options.ProjectDir]: the members look for their artifacts there.
func PlanOf(a *roster.Admitted) Plan {
	plan := Plan{Members: make([]Member, len(a.Members))}
	for i, m := range a.Members {
		plan.Members[i] = Member{
			Name: m.Name, Entry: m.Entry, Calls: m.Calls,
			Capsule: &Capsule{Name: m.Capsule, Version: m.Version, SHA256: m.SHA256},
		}
	}
	return plan
}
