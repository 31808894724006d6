package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompareOrigin(t *testing.T) {
	full := Origin{
		Boot: "boot-1", Machine: "machine-1", Host: "host-1", PIDNamespace: "pid:[1]", TimeNamespace: "time:[1]",
		Inode: "77", Start: "123", ReadAt: 1000,
	}
	here := here{origin: full.WithoutProcess(), bootTime: 500}
	const sameBoot = "same boot"
	for _, c := range []struct {
		name   string
		change func(*Origin)
		ours   func(o *Origin, bootTime *int64)
		want   string // of the state, or sameBoot, or "" for an origin that claims nothing
		kind   Kind
	}{
		{name: "the same place", want: sameBoot},
		{name: "nothing claimed", change: func(o *Origin) { *o = Origin{} }},
		{name: "another host name under the same boot", change: func(o *Origin) { o.Host = "container" }, want: sameBoot},
		{name: "another machine id under the same boot", change: func(o *Origin) { o.Machine = "other" }, want: sameBoot},
		{
			name: "an earlier boot of this machine", change: func(o *Origin) { o.Boot, o.ReadAt = "boot-0", 499 },
			want: "pid 7 belonged to an earlier boot of this machine", kind: Gone,
		},
		{
			name: "an earlier boot, in another namespace", kind: Gone,
			change: func(o *Origin) { o.Boot, o.ReadAt, o.PIDNamespace = "boot-0", 499, "pid:[9]" },
			want:   "pid 7 belonged to an earlier boot of this machine",
		},
		{
			name: "another boot id, though read since this boot began", change: func(o *Origin) { o.Boot, o.ReadAt = "boot-0", 500 },
			want: "pid 7 was recorded under another boot id",
		},
		{
			name: "another boot id, read at an unknown time", change: func(o *Origin) { o.Boot, o.ReadAt = "boot-0", 0 },
			want: "pid 7 was recorded under another boot id",
		},
		{
			name: "another boot id, and this boot's begin unknown", change: func(o *Origin) { o.Boot, o.ReadAt = "boot-0", 1 },
			ours: func(_ *Origin, bootTime *int64) { *bootTime = 0 }, want: "pid 7 was recorded under another boot id",
		},
		{
			name: "another machine", change: func(o *Origin) { o.Boot, o.ReadAt, o.Machine = "boot-0", 1, "machine-2" },
			want: "pid 7 was recorded on another machine",
		},
		{
			name: "a copied machine id, another host", change: func(o *Origin) { o.Boot, o.ReadAt, o.Host = "boot-0", 1, "host-2" },
			want: "pid 7 was recorded on another machine",
		},
		{
			name: "neither has a machine id", change: func(o *Origin) { o.Boot, o.ReadAt, o.Machine = "boot-0", 1, "" },
			ours: func(o *Origin, _ *int64) { o.Machine = "" }, want: "pid 7 was recorded under another boot id",
		},
		{
			name: "our boot id cannot be read", ours: func(o *Origin, _ *int64) { o.Boot = "" },
			want: "pid 7 was recorded with a boot id, and this boot's cannot be read",
		},
		{
			name: "another pid namespace", change: func(o *Origin) { o.PIDNamespace = "pid:[9]" },
			want: "pid 7 was recorded in another pid namespace",
		},
		{
			name: "our pid namespace cannot be read", ours: func(o *Origin, _ *int64) { o.PIDNamespace = "" },
			want: "pid 7 was recorded in another pid namespace",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			there, here := full, here
			if c.change != nil {
				c.change(&there)
			}
			if c.ours != nil {
				c.ours(&here.origin, &here.bootTime)
			}
			got := compareOrigin(Identity{PID: 7, Start: "123", Origin: there}, here)
			want := place{decided: true, state: State{c.kind, c.want}}
			if c.want == sameBoot || c.want == "" {
				want = place{sameBoot: c.want == sameBoot}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Another time namespace spoils the token and nothing else: a number that nothing holds, and another
// inode, are evidence all the same.
func TestAnotherTimeNamespaceIsNeverAlive(t *testing.T) {
	id, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := surroundings()
	elsewhere.origin.TimeNamespace = "time:[1]"
	if id.Origin.TimeNamespace == "" {
		id.Origin.TimeNamespace = "time:[2]"
	}
	without := id
	without.Origin = id.Origin.WithoutProcess()
	dead, other := id, id
	dead.PID = 0
	other.Origin.Inode = "1"
	foreign := State{Unverified, "pid " + itoa(id.PID) + " was recorded in another time namespace"}
	for name, c := range map[string]struct {
		id   Identity
		want State
	}{
		"with an inode":    {id, foreign},
		"without an inode": {without, foreign},
		"nothing holds it": {dead, noProcess(0)},
		"another inode":    {other, otherStart(id.PID)},
	} {
		process, got := verify(c.id, elsewhere)
		if process != nil {
			process.close()
			t.Errorf("%s: the process may be signalled", name)
		}
		if name == "another inode" && id.Origin.Inode == "" {
			continue
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
