package meta

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypesAreTakenApart(t *testing.T) {
	d := &Docs{aliases: map[string]*Alias{
		"Word": {Type: `"a"|"b"`}, "Policy": {Type: "Word[]|fun(item: Item): Word|nil, string?"}, "Loop": {Type: "Loop"},
	}}
	for typ, want := range map[string][]string{
		"string":            {"string"},
		"string?":           {"string", "nil"},
		"Word|nil":          {`"a"`, `"b"`, "nil"},
		"Policy":            {"Word[]", "fun(item: Item): Word|nil, string?"},
		"fun(x: any): any?": {"fun(x: any): any?"},
		"Loop":              {"any"},
	} {
		if diff := cmp.Diff(want, d.Alternatives(typ)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", typ, diff)
		}
	}
	if diff := cmp.Diff([]string{"Word", "fun(): any|X"}, d.Elements("Policy|(fun(): any|X)[]|table<string, Y>")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"fun(a: X): Y"}, d.Values("table<string, fun(a: X): Y>|X[]")); diff != "" {
		t.Error(diff)
	}
	want := []Signature{{Params: []Param{{Name: "item", Type: "Item"}}, Returns: []string{"Word|nil", "string?"}}}
	if diff := cmp.Diff(want, d.Signatures("string|Policy")); diff != "" {
		t.Error(diff)
	}
	want = []Signature{{Params: []Param{{Name: "a", Type: "fun(b: X): Y", Optional: true}}}}
	if diff := cmp.Diff(want, d.Signatures("fun(a?: fun(b: X): Y)")); diff != "" {
		t.Error(diff)
	}
}
