package formation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
)

func tool(name string, after ...string) formation.Member {
	return formation.Member{Name: name, Command: &formation.Command{Args: []string{"tool"}}, After: after}
}

func lua(name string, calls ...string) formation.Member {
	return formation.Member{Name: name, Script: &formation.Script{Path: name + ".lua"}, Calls: calls}
}

func TestPlansThatCannotBe(t *testing.T) {
	entry := lua("lead")
	entry.Entry = true
	second := lua("boss")
	second.Entry = true
	for _, test := range []struct {
		name    string
		members []formation.Member
		wants   []string
	}{
		{"nobody", nil, []string{"without members"}},
		{
			"names",
			[]formation.Member{tool("Upper"), tool("a.b"), tool(strings.Repeat("a", 33)), tool("1st"), tool("")},
			[]string{`"Upper"`, `"a.b"`, `"1st"`, `""`, strings.Repeat("a", 33)},
		},
		{"twice", []formation.Member{tool("a"), tool("a")}, []string{`two members are named "a"`}},
		{"entries", []formation.Member{entry, second}, []string{"2 members are the entry"}},
		{"no kind", []formation.Member{{Name: "a"}}, []string{"it has 0"}},
		{
			"two kinds",
			[]formation.Member{{Name: "a", Script: &formation.Script{Path: "x"}, Command: &formation.Command{Args: []string{"y"}}}},
			[]string{"it has 2"},
		},
		{"no program", []formation.Member{{Name: "a", Command: &formation.Command{}}}, []string{"needs a program"}},
		{"no version", []formation.Member{{Name: "a", Capsule: &formation.Capsule{Name: "a"}}}, []string{"needs a name and a version"}},
		{
			"calls",
			[]formation.Member{lua("a", "a", "nobody", "lead", "b"), tool("b"), entry},
			[]string{`calls itself`, `"nobody", which is not a member`, `calls the entry "lead"`, `"b", which is a command`},
		},
		{"after", []formation.Member{tool("a", "nobody", "lead"), entry}, []string{`"nobody", which is not a member`, `after the entry "lead"`}},
		{
			"circle",
			[]formation.Member{tool("z", "a"), tool("a", "b"), tool("b", "c"), tool("c", "a")},
			[]string{"members wait for each other: a → b → c → a"},
		},
		{"itself", []formation.Member{tool("a", "a")}, []string{"members wait for each other: a → a"}},
		{"sealed", []formation.Member{{Name: "a", Script: &formation.Script{Path: "x"}, Containment: "sealed"}}, []string{"cannot be sealed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := formation.Plan{Members: test.members}.Check()
			if err == nil {
				t.Fatal("the plan was accepted")
			}
			for _, want := range test.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

func TestOrder(t *testing.T) {
	lead := lua("lead")
	lead.Entry = true
	for _, test := range []struct {
		name    string
		members []formation.Member
		want    [][]string
	}{
		{"all at once", []formation.Member{tool("a"), tool("b")}, [][]string{{"a", "b"}}},
		{"the entry last", []formation.Member{lead, tool("a"), tool("b")}, [][]string{{"a", "b"}, {"lead"}}},
		{"the entry alone", []formation.Member{lead}, [][]string{{"lead"}}},
		{"a chain", []formation.Member{tool("c", "b"), tool("b", "a"), tool("a")}, [][]string{{"a"}, {"b"}, {"c"}}},
		{
			"a diamond",
			[]formation.Member{tool("top", "left", "right"), tool("left", "base"), tool("right"), tool("base"), lead},
			[][]string{{"right", "base"}, {"left"}, {"top"}, {"lead"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := formation.Plan{Members: test.members}
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, p.Order()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCalleesComeOnceInPlanOrder(t *testing.T) {
	p := formation.Plan{Members: []formation.Member{lua("a"), lua("b"), lua("c", "b", "a", "b")}}
	if diff := cmp.Diff([]string{"a", "b"}, p.Callees("c")); diff != "" {
		t.Error(diff)
	}
	if p.Callees("a") != nil || p.Callees("nobody") != nil {
		t.Error("callees of those who call nobody")
	}
}

func TestCircle(t *testing.T) {
	for name, test := range map[string]struct {
		names           []string
		after           map[string][]string
		first, sentence string
	}{
		"none":              {[]string{"a", "b", "c"}, map[string][]string{"a": {"b", "c"}, "b": {"c"}}, "", ""},
		"itself":            {[]string{"a"}, map[string][]string{"a": {"a"}}, "a", "members wait for each other: a → a"},
		"behind another":    {[]string{"a", "b", "c"}, map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}, "b", "members wait for each other: b → c → b"},
		"by way of unknown": {[]string{"a"}, map[string][]string{"a": {"x"}}, "", ""},
	} {
		first, sentence := formation.Circle(test.names, func(name string) []string { return test.after[name] })
		if first != test.first || sentence != test.sentence {
			t.Errorf("%s: %q, %q", name, first, sentence)
		}
	}
}
