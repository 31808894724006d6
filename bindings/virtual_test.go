package bindings

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
	"murlua/lifecycle/member"
)

func TestVirtualMembers(t *testing.T) {
	for _, c := range []struct {
		host, name string
		virtual    bool
	}{
		{"coder.formation.invalid", "coder", true},
		{"coder.FORMATION.Invalid", "coder", true},
		{"a-1.formation.invalid", "a-1", true},
		{"Coder.formation.invalid", "", true},
		{"coder.formation.invalid:80", "", true},
		{"coder.formation.invalid.", "", true},
		{"a.coder.formation.invalid", "", true},
		{".formation.invalid", "", true},
		{"formation.invalid", "", true},
		{"formation.invalid:80", "", true},
		{"coderformation.invalid", "", false},
		{"coder.formation.invalid.example.org", "", false},
		{"localhost:80", "", false},
		{"", "", false},
	} {
		if name, virtual := virtualMember(c.host); name != c.name || virtual != c.virtual {
			t.Errorf("%q gives %q, %v", c.host, name, virtual)
		}
	}
}

// inFormation returns the world of a capsule that may call coder, whose door it opens.
func inFormation(t *testing.T) *World {
	t.Helper()
	authority, err := credential.NewAuthority(id.NewFormation())
	if err != nil {
		t.Fatal(err)
	}
	s, err := door.Serve(door.ServerOptions{
		Name: "coder", Version: "1", Session: id.NewSession(), Auth: &door.Auth{Formation: authority.Verifier("coder")},
		OnTask: func(_ context.Context, in *door.Incoming) (string, error) {
			return fmt.Sprintf("%s for %s, peer %v", strings.ToUpper(in.Message.Text), in.Member, in.Peer), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return &World{Workdir: t.TempDir(), callees: func(_ context.Context, name string) (member.Callee, error) {
		if name != "coder" {
			return member.Callee{}, fmt.Errorf("cannot call %q: this member may not call it", name)
		}
		return member.Callee{Name: name, URL: "http://" + s.URL(), Token: authority.Token("lead", name)}, nil
	}}
}

func TestMembersAreCalledByTheirVirtualAddresses(t *testing.T) {
	w := inFormation(t)
	printed(t, w, `
		local coder = "http://coder.formation.invalid"
		print(mur.door.send(coder, "hi", { token = "mdt1.x.y" }).text)
		print(mur.door.probe(coder) == mur.door.card(coder .. "/").session_id)
		local call = { jsonrpc = "2.0", id = 1, method = "SendMessage", params = {
			message = { messageId = "m", role = "ROLE_USER", parts = { { text = "yo" } } } } }
		local response = mur.http.post("http://coder.FORMATION.invalid/", call, {
			headers = { Authorization = "Bearer mine", ["x-murmur-task-origin"] = "operator", Host = "elsewhere" } })
		print(response.status, mur.json.decode(response.body).result.task.artifacts[1].parts[1].text)
	`, "HI for lead, peer true\ntrue\n200\tYO for lead, peer true")
	out := script(t, w, `
		for _, url in ipairs { "http://nobody.formation.invalid", "http://Coder.formation.invalid/", "http://coder.formation.invalid:80", "https://coder.formation.invalid", "http://x.coder.formation.invalid" } do
			print(pcall(mur.http.get, url))
			if url:sub(1, 5) == "http:" then print(pcall(mur.door.send, url, "x")) end
		end
		print(pcall(mur.http.get, "http://coder.formation.invalid", { unix = "/tmp/x" }))
	`)
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "false\t") || !strings.Contains(line, "cannot") || strings.Contains(line, "mft1") {
			t.Errorf("not refused, or shows too much: %s", line)
		}
	}
	printed(t, &World{Workdir: t.TempDir()}, `
		print(select(2, pcall(mur.http.get, "http://coder.formation.invalid")).message:match "no capsule of a formation")
	`, "no capsule of a formation")
}

func TestAMembersRedirectIsNotFollowed(t *testing.T) {
	var asked []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.Header.Get("Authorization")) }))
	t.Cleanup(other.Close)
	hostile := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(hostile.Close)
	virtual := httptest.NewServer(http.RedirectHandler("http://coder.formation.invalid/", http.StatusTemporaryRedirect))
	t.Cleanup(virtual.Close)
	w := &World{Workdir: t.TempDir(), callees: func(_ context.Context, name string) (member.Callee, error) {
		return member.Callee{Name: name, URL: hostile.URL, Token: credential.NewSecret("mft1.secret")}, nil
	}}
	printed(t, w, `print(mur.http.get("http://coder.formation.invalid").status)`, "307")
	if len(asked) > 0 {
		t.Errorf("the token went elsewhere: %q", asked)
	}
	if out := script(t, w, fmt.Sprintf(`print(pcall(mur.http.get, %q))`, virtual.URL)); !strings.Contains(out, "not looked up") {
		t.Errorf("a redirect to a member's address: %s", out)
	}
	if _, err := resolve(t.Context(), "coder.formation.invalid", "80"); err == nil {
		t.Error("a member's name is looked up")
	}
	if _, err := (dialer{}).dial(t.Context(), net.JoinHostPort("coder.formation.invalid", "80")); err == nil {
		t.Error("a member's name is dialled")
	}
}
