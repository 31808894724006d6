//go:build unix

package formation_test

import (
	"fmt"
	"slices"
	"testing"

	"murlua/lifecycle/formation"
)

// However fast members end when they are asked to, what is told of each is complete and in order: that it is stopping, how
// the stop went, and last that it is reaped, with the rung.
func TestTheEventsOfAStopAreInOrder(t *testing.T) {
	t.Parallel()
	for range 5 {
		r := newRig(t)
		var p formation.Plan
		for i := range 20 {
			m := formation.Member{Name: fmt.Sprintf("m%d", i), Command: &formation.Command{Args: []string{"sleep", "600"}}}
			p.Members = append(p.Members, m)
		}
		f := r.launch(p)
		f.Stop(nil)
		r.wait(f)
		for _, m := range p.Members {
			kinds := slices.DeleteFunc(r.kinds(m.Name), func(k formation.EventKind) bool { return k == formation.Exited })
			want := []formation.EventKind{formation.Spawned, formation.Ready, formation.Stopping, formation.Rung, formation.Reaped}
			if !slices.Equal(kinds, want) {
				t.Fatalf("%s: %v, want %v", m.Name, kinds, want)
			}
		}
		for _, e := range r.events {
			if e.Kind == formation.Reaped && (e.Detail != formation.RungSignal || e.Stop.Rung != formation.RungSignal) {
				t.Fatalf("%s: reaped with %q, %+v", e.Member, e.Detail, e.Stop)
			}
		}
	}
}
