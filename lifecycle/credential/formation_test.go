package credential_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
)

const (
	formation      = id.Formation("frm_0199c4e2f1b7712a9d3e4f5061728394")
	otherFormation = id.Formation("frm_0199c4e2f1b7712a9d3e4f50617283ff")
)

// token signs any payload as the authority with this seed does, by the description of the format and not by its code.
func token(seed byte, payload string) string {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	signature := ed25519.Sign(private, []byte("murmur-formation-token-v1\x1fmft1\x1f"+b64(payload)))
	return "mft1." + b64(payload) + "." + b64(string(signature))
}

func payload(formation id.Formation, from, to string) string {
	return fmt.Sprintf(`{"formation":%q,"from":%q,"to":%q}`, formation, from, to)
}

func TestAFormationTokenHasMurmursBytes(t *testing.T) {
	got := credential.AuthorityFromSeed(formation, 7).Token("lead", "coder").Reveal()
	if want := token(7, `{"formation":"frm_0199c4e2f1b7712a9d3e4f5061728394","from":"lead","to":"coder"}`); got != want {
		t.Errorf("Token gives\n%s, want\n%s", got, want)
	}
}

func TestADoorAcceptsOnlyTokensIssuedToItsMember(t *testing.T) {
	verifier := credential.AuthorityFromSeed(formation, 7).Verifier("coder")
	good := token(7, payload(formation, "lead", "coder"))
	segments := strings.Split(good, ".")
	signedAs := func(text string) string { return token(7, text) }
	for _, c := range []struct {
		name, token string
		want        error
		member      string
	}{
		{"good", good, nil, "lead"},
		{"keys in another order", signedAs(`{"to":"coder","from":"lead","formation":"` + string(formation) + `"}`), nil, "lead"},
		{"for another member", token(7, payload(formation, "lead", "reviewer")), credential.ErrNotPermitted, "lead"},
		{"another formation", token(7, payload(otherFormation, "lead", "coder")), credential.ErrInvalidToken, ""},
		{"another formation, for another member", token(7, payload(otherFormation, "lead", "reviewer")), credential.ErrInvalidToken, ""},
		{"another key", token(8, payload(formation, "lead", "coder")), credential.ErrInvalidToken, ""},
		{"empty", "", credential.ErrInvalidToken, ""},
		{"tag alone", "mft1", credential.ErrInvalidToken, ""},
		{"another tag", "mdt1." + segments[1] + "." + segments[2], credential.ErrInvalidToken, ""},
		{"two segments", "mft1." + segments[1], credential.ErrInvalidToken, ""},
		{"four segments", good + "." + segments[2], credential.ErrInvalidToken, ""},
		{"empty payload", "mft1.." + segments[2], credential.ErrInvalidToken, ""},
		{"empty signature", "mft1." + segments[1] + ".", credential.ErrInvalidToken, ""},
		{"padded", good + "==", credential.ErrInvalidToken, ""},
		{"line end", "mft1." + segments[1] + ".\n" + segments[2], credential.ErrInvalidToken, ""},
		{"other low bits", good[:len(good)-1] + otherSpelling(good[len(good)-1]), credential.ErrInvalidToken, ""},
		{"short signature", "mft1." + segments[1] + "." + segments[2][:80], credential.ErrInvalidToken, ""},
		{"key too many", signedAs(`{"formation":"` + string(formation) + `","from":"lead","to":"coder","x":"y"}`), credential.ErrInvalidToken, ""},
		{"key missing", signedAs(`{"formation":"` + string(formation) + `","from":"lead"}`), credential.ErrInvalidToken, ""},
		{"key in other case", signedAs(`{"formation":"` + string(formation) + `","from":"lead","To":"coder"}`), credential.ErrInvalidToken, ""},
		{"number", signedAs(`{"formation":"` + string(formation) + `","from":"lead","to":1}`), credential.ErrInvalidToken, ""},
		{"null", signedAs(`{"formation":"` + string(formation) + `","from":"lead","to":null}`), credential.ErrInvalidToken, ""},
		{"list", signedAs(`["lead"]`), credential.ErrInvalidToken, ""},
		{"no member name", signedAs(payload(formation, "Lead", "coder")), credential.ErrInvalidToken, ""},
		{"two values", signedAs(payload(formation, "lead", "coder") + "{}"), credential.ErrInvalidToken, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			grant, err := verifier.Verify(c.token)
			if !errors.Is(err, c.want) || grant.Member != c.member {
				t.Errorf("Verify gives %+v, %v; want %v", grant, err, c.want)
			}
			if err != nil && (grant.Credential != "" || grant.Allows("SendMessage")) {
				t.Errorf("a refused token grants %+v", grant)
			}
		})
	}
	grant, _ := verifier.Verify(good)
	if grant.Credential != "member:lead" || !grant.Allows("SendMessage") || !grant.Allows("tasks/get") || grant.Allows("session/stop") || grant.Allows("SendStreamingMessage") {
		t.Errorf("the token grants %+v", grant)
	}
}

func TestAnAuthoritysKeyIsItsOwn(t *testing.T) {
	first, err := credential.NewAuthority(formation)
	if err != nil {
		t.Fatal(err)
	}
	second, err := credential.NewAuthority(formation)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Verifier("coder").Verify(first.Token("lead", "coder").Reveal()); !errors.Is(err, credential.ErrInvalidToken) {
		t.Errorf("a token of another key gives %v", err)
	}
}

func FuzzFormationTokenVerify(f *testing.F) {
	authority := credential.AuthorityFromSeed(formation, 7)
	verifier := authority.Verifier("coder")
	f.Add(authority.Token("lead", "coder").Reveal())
	f.Add(authority.Token("lead", "reviewer").Reveal())
	f.Add(token(7, `{"formation":1}`))
	f.Add("mft1.e30.AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if grant, err := verifier.Verify(text); err == nil && !id.ValidMember(grant.Member) {
			t.Errorf("Verify accepts %q for %q", text, grant.Member)
		}
	})
}
