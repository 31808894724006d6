package id_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/id"
)

const hex = "0199c4e2f1b7712a9d3e4f5061728394"

func TestIdsAreMintedInOrderAndParse(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	var minted []string
	for range 10_000 {
		minted = append(minted, string(id.NewSession()))
	}
	if !slices.IsSorted(minted) || len(slices.Compact(slices.Clone(minted))) != len(minted) {
		t.Error("ids are not strictly increasing")
	}
	first, err := id.ParseSession(minted[0])
	if err != nil {
		t.Fatal(err)
	}
	if at := first.Time(); at.Before(before) || at.After(time.Now()) {
		t.Errorf("minted at %v, which is not now", at)
	}
	formation, err := id.ParseFormation(string(id.NewFormation()))
	if err != nil || formation.Time().Before(before) {
		t.Errorf("formation %v, %v", formation, err)
	}
}

func TestParseFormationRefusesInOrderAndNeverEchoes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "does not start with 'frm_'"},
		{"ses_" + hex, "does not start with 'frm_'"},
		{" frm_" + hex, "does not start with 'frm_'"},
		{"FRM_" + hex, "does not start with 'frm_'"},
		{"frm_" + hex[1:], "exactly 32 hex digits"},
		{"frm_" + hex + "0", "exactly 32 hex digits"},
		{"frm_" + hex + "\n", "exactly 32 hex digits"},
		{"frm_SECRET", "exactly 32 hex digits"},
		{"frm_" + strings.ToUpper(hex), "lowercase hex"},
		{"frm_" + hex[:31] + "/", "lowercase hex"},
		{"frm_" + hex[:30] + "é", "lowercase hex"},
	} {
		_, err := id.ParseFormation(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		} else if len(c.text) > 4 && strings.Contains(err.Error(), c.text[4:]) {
			t.Errorf("%q is repeated in %q", c.text, err)
		}
	}
}

func TestParseSessionRefusesWhatCouldLeaveTheDirectory(t *testing.T) {
	for _, text := range []string{"", "..", "ses_../../../../../../../../etc/passwd", "ses_" + hex + "/..", "ses_" + hex[:31] + "\x00", "frm_" + hex} {
		if _, err := id.ParseSession(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if got, err := id.ParseSession("ses_" + hex); err != nil || string(got) != "ses_"+hex {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestTimeOfWhatIsNoIdIsZero(t *testing.T) {
	if !id.Session("ses_x").Time().IsZero() || !id.Formation("").Time().IsZero() {
		t.Error("a time was read from something that is no id")
	}
	if got := id.Session("ses_" + hex).Time().UnixMilli(); got != 0x0199c4e2f1b7 {
		t.Errorf("minted at %x", got)
	}
}

func TestValidMember(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "lead": true, "a-b-9": true, "a-": true, strings.Repeat("a", 32): true,
		"": false, "9a": false, "-a": false, "A": false, "a_b": false, "a b": false, "é": false, "a\n": false, strings.Repeat("a", 33): false,
	} {
		if got := id.ValidMember(name); got != want {
			t.Errorf("ValidMember(%q) = %v", name, got)
		}
	}
}

func TestValidCapsule(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "9a": true, "a-b": true, strings.Repeat("a", 100): true,
		"": false, "-a": false, "a-": false, "A": false, "a/b": false, strings.Repeat("a", 101): false,
	} {
		if got := id.ValidCapsule(name); got != want {
			t.Errorf("ValidCapsule(%q) = %v", name, got)
		}
	}
}
