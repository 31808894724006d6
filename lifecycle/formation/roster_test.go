package formation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/roster"
)

func TestThePlanOfARoster(t *testing.T) {
	plan := formation.PlanOf(&roster.Admitted{Members: []roster.Member{
		{Listed: roster.Listed{Name: "lead", Capsule: "local/lead", Version: "1.10", Entry: true}, SHA256: "00", Calls: []string{"coder"}},
		{Listed: roster.Listed{Name: "coder", Capsule: "local/coder", Version: "2"}, SHA256: "11"},
	}})
	want := formation.Plan{Members: []formation.Member{
		{Name: "lead", Entry: true, Calls: []string{"coder"}, Capsule: &formation.Capsule{Name: "local/lead", Version: "1.10", SHA256: "00"}},
		{Name: "coder", Capsule: &formation.Capsule{Name: "local/coder", Version: "2", SHA256: "11"}},
	}}
	if diff := cmp.Diff(want, plan, cmp.Comparer(func(a, b formation.Member) bool {
		return a.Name == b.Name && a.Entry == b.Entry && cmp.Equal(a.Calls, b.Calls) && cmp.Equal(a.Capsule, b.Capsule)
	})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := plan.Check(); err != nil {
		t.Errorf("the plan does not pass its own check: %v", err)
	}
}
