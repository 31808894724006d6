package credential_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"murlua/lifecycle/credential"
)

// key7 is the public key of the authority with seed 7.
func key7(t testing.TB) string {
	line := string(credential.AuthorityFromSeed(formation, 7).Bundle("coder").Render())
	_, rest, _ := strings.Cut(line, `"verify_key":"`)
	key, _, found := strings.Cut(rest, `"`)
	if !found || len(key) != 43 {
		t.Fatalf("the line has no key of 43 characters: %s", line)
	}
	return key
}

func TestTheFirstLineHasMurmursBytes(t *testing.T) {
	authority := credential.AuthorityFromSeed(formation, 7)
	line := authority.Bundle("lead", "coder", "reviewer")
	tokens := fmt.Sprintf(`[{"name":"coder","token":%q},{"name":"reviewer","token":%q}]`,
		token(7, payload(formation, "lead", "coder")), token(7, payload(formation, "lead", "reviewer")))
	want := `{"formation_id":"` + string(formation) + `","member":"lead","verify_key":"` + key7(t) + `","calls":` + tokens + "}\n"
	if diff := cmp.Diff(want, string(line.Render())); diff != "" {
		t.Errorf("without launcher (-want +got):\n%s", diff)
	}
	line.Launcher, line.Entry = &credential.Launcher{PID: 4242, Start: "12<34"}, true
	want = `{"formation_id":"` + string(formation) + `","member":"lead","launcher":{"pid":4242,"process_start":"12<34"},"entry":true,"verify_key":"` + key7(t) + `","calls":` + tokens + "}\n"
	if diff := cmp.Diff(want, string(line.Render())); diff != "" {
		t.Errorf("with launcher (-want +got):\n%s", diff)
	}
	if got := string(authority.Bundle("coder").Render()); !strings.HasSuffix(got, `"calls":[]}`+"\n") {
		t.Errorf("without callees: %s", got)
	}

	read, err := credential.ParseFirstLine(bytes.TrimSuffix(line.Render(), []byte("\n")), formation)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, read, cmpopts.IgnoreUnexported(credential.FirstLine{})); diff != "" {
		t.Errorf("read back (-wrote +read):\n%s", diff)
	}
	called, _ := line.Call("coder")
	if grant, err := authority.Verifier("coder").Verify(called.Reveal()); err != nil || grant.Member != "lead" {
		t.Errorf("the token for coder gives %+v, %v", grant, err)
	}
	if _, err := read.Verifier().Verify(authority.Token("coder", "lead").Reveal()); err != nil {
		t.Errorf("a call to the line's member is refused: %v", err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", line, read, read); strings.Contains(shown, "mft1") {
		t.Errorf("printing the line shows a token: %s", shown)
	}
}

func TestAFirstLineIsRefusedInMurmursOrder(t *testing.T) {
	good := token(7, payload(formation, "lead", "coder"))
	call := func(name, token string) string { return fmt.Sprintf(`[{"name":%q,"token":%q}]`, name, token) }
	line := func(change map[string]string) string {
		fields := map[string]string{
			"formation_id": `"` + string(formation) + `"`, "member": `"lead"`, "launcher": `{"pid":1,"process_start":"5"}`,
			"verify_key": `"` + key7(t) + `"`, "calls": call("coder", good),
		}
		for key, value := range change {
			fields[key] = value
		}
		var members []string
		for _, key := range []string{"formation_id", "member", "launcher", "entry", "verify_key", "calls"} {
			if fields[key] != "" {
				members = append(members, `"`+key+`":`+fields[key])
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	type change = map[string]string
	for _, c := range []struct{ name, line, want string }{
		{"good", line(nil), ""},
		{"no launcher", line(change{"launcher": ""}), ""},
		{"unknown key", strings.Replace(line(nil), "{", `{"more":1,`, 1), ""},
		{"carriage return", line(nil) + "\r", ""},
		{"empty", "", "is not JSON"},
		{"not JSON before all else", `{"formation_id":7,`, "is not JSON"},
		{"two values", line(nil) + "{}", "is not JSON"},
		{"a list", `[1]`, "is not a JSON object"},
		{"null", `null`, "is not a JSON object"},
		{"not UTF-8", line(nil) + "\xff", "is not UTF-8"},
		{"too long", line(nil) + strings.Repeat(" ", credential.MaxLine), "bytes or longer"},
		{"no formation", line(change{"formation_id": "", "member": "7"}), "no string formation_id"},
		{"formation before member", line(change{"formation_id": `"frm_x"`, "member": "7"}), "exactly 32 hex digits"},
		{"no member", line(change{"member": "7", "launcher": "null"}), "no string member"},
		{"bad member", line(change{"member": `"Lead"`}), "member is not a member name"},
		{"launcher null, before the key", line(change{"launcher": "null", "verify_key": "1"}), "launcher is not a JSON object"},
		{"launcher pid 0", line(change{"launcher": `{"pid":0,"process_start":"5"}`}), "launcher.pid"},
		{"launcher pid too large", line(change{"launcher": `{"pid":2147483648,"process_start":"5"}`}), "launcher.pid"},
		{"launcher pid fraction", line(change{"launcher": `{"pid":1.0,"process_start":"5"}`}), "launcher.pid"},
		{"launcher pid text", line(change{"launcher": `{"pid":"1","process_start":"5"}`}), "launcher.pid"},
		{"launcher start empty", line(change{"launcher": `{"pid":1,"process_start":""}`}), "launcher.process_start"},
		{"launcher start missing", line(change{"launcher": `{"pid":1}`}), "launcher.process_start"},
		{"entry no boolean", line(change{"entry": `"yes"`}), "entry is not a boolean"},
		{"no key, before calls", line(change{"verify_key": "", "calls": ""}), "no string verify_key"},
		{"key not base64", line(change{"verify_key": `"` + key7(t) + `="`}), "unpadded base64url"},
		{"key too short", line(change{"verify_key": `"AAAA"`}), "is not 32 bytes"},
		{"no calls", line(change{"calls": ""}), "no calls array"},
		{"calls an object", line(change{"calls": "{}"}), "no calls array"},
		{"call without name", line(change{"calls": `[{}]`}), "calls[0] has no string name"},
		{"call a number", line(change{"calls": `[7]`}), "calls[0] has no string name"},
		{"call bad name, before its token", line(change{"calls": `[{"name":"Coder"}]`}), "calls[0].name is not a member name"},
		{"call repeated, before its token", line(change{"calls": `[{"name":"coder","token":"` + good + `"},{"name":"coder"}]`}), "calls[1].name is repeated"},
		{"call without token", line(change{"calls": `[{"name":"coder"}]`}), "calls[0] has no string token"},
		{"token of another key", line(change{"calls": call("coder", token(8, payload(formation, "lead", "coder")))}), "calls[0].token was not issued"},
		{"token of another formation", line(change{"calls": call("coder", token(7, payload(otherFormation, "lead", "coder")))}), "calls[0].token was not issued"},
		{"token from another", line(change{"calls": call("coder", token(7, payload(formation, "reviewer", "coder")))}), "calls[0].token was not issued"},
		{"token to another", line(change{"calls": call("coder", token(7, payload(formation, "lead", "reviewer")))}), "calls[0].token was not issued"},
		{"another formation than the environment's, last", line(change{"formation_id": `"` + string(otherFormation) + `"`, "calls": "[]"}), "not the formation that the environment names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := credential.ParseFirstLine([]byte(c.line), formation)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("ParseFirstLine gives %v, want %q", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "mft1") || strings.Contains(err.Error(), "Coder") || strings.Contains(err.Error(), string(otherFormation))) {
				t.Errorf("the error quotes the line: %v", err)
			}
		})
	}
}

func TestAddressLines(t *testing.T) {
	want := `{"addresses":[{"name":"coder","url":"http://localhost:41873"},{"name":"reviewer","url":"http://[::1]:1"}]}` + "\n"
	addresses := []credential.Address{{Name: "coder", URL: "http://localhost:41873"}, {Name: "reviewer", URL: "http://[::1]:1"}}
	if got := string(credential.RenderAddresses(addresses)); got != want {
		t.Errorf("RenderAddresses gives %s", got)
	}
	if got := string(credential.RenderAddresses(nil)); got != `{"addresses":[]}`+"\n" {
		t.Errorf("RenderAddresses of none gives %s", got)
	}
	read, err := credential.ParseAddresses([]byte(strings.TrimSpace(want)))
	if diff := cmp.Diff(addresses, read); err != nil || diff != "" {
		t.Errorf("read back: %v (-wrote +read):\n%s", err, diff)
	}
	for line, want := range map[string]string{
		"x": "is not JSON", "[]": "is not a JSON object", "{}": "no addresses array", `{"addresses":null}`: "no addresses array",
		`{"addresses":[7]}`:                                       "addresses[0] has no string name",
		`{"addresses":[{"name":"coder"}]}`:                        "addresses[0] has no string url",
		`{"addresses":[{"name":"A","url":"http://localhost:1"}]}`: "addresses[0].name is not a member name",
		`{"addresses":[{"name":"coder","url":"localhost:1"}]}`:    "addresses[0].url is not http://host:port",
	} {
		if _, err := credential.ParseAddresses([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", line, err, want)
		}
	}
	for _, url := range []string{
		"", "http://", "https://localhost:1", "http://localhost", "http://localhost:", "http://localhost:0", "http://localhost:65536", "http://localhost:+1", "http://localhost:1/",
		"http://localhost:1?x", "http://:1", "http://user@localhost:1", "http://local host:1", "http://localhost:1\n", "http://::1:1", "http://[::1:1", "http://[]:1", "http://[x/y]:1",
	} {
		if credential.ValidURL(url) {
			t.Errorf("ValidURL accepts %q", url)
		}
	}
}

func FuzzParseFirstLine(f *testing.F) {
	line := credential.AuthorityFromSeed(formation, 7).Bundle("lead", "coder")
	line.Launcher = &credential.Launcher{PID: 1, Start: "5"}
	f.Add(bytes.TrimSpace(line.Render()))
	f.Add([]byte(`{"formation_id":"frm_x"}`))
	f.Add([]byte(`{"calls":[{"name":"a"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := credential.ParseFirstLine(text, formation)
		if err != nil {
			return
		}
		again, err := credential.ParseFirstLine(bytes.TrimSpace(read.Render()), formation)
		if err != nil || !bytes.Equal(read.Render(), again.Render()) {
			t.Errorf("a line that was read does not survive being written: %v\n%s", err, text)
		}
	})
}

func FuzzParseAddresses(f *testing.F) {
	f.Add([]byte(`{"addresses":[{"name":"coder","url":"http://localhost:41873"}]}`))
	f.Add([]byte(`{"addresses":[{"name":"coder","url":"http://[::1]:1"},7]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := credential.ParseAddresses(text)
		if err != nil {
			return
		}
		again, err := credential.ParseAddresses(bytes.TrimSpace(credential.RenderAddresses(read)))
		if diff := cmp.Diff(read, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("addresses that were read do not survive being written: %v\n%s", err, diff)
		}
	})
}
