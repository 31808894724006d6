package bindings

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// project writes a murmur project with a roster and installs its capsules. It returns a world that stands in it.
func project(t *testing.T, roster string, capsules ...string) *World {
	t.Helper()
	w := &World{Workdir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}}
	write := func(data []byte, elements ...string) {
		path := filepath.Join(append([]string{w.Workdir}, elements...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte(roster), "roster.yaml")
	for _, name := range capsules {
		var packed bytes.Buffer
		archive := zip.NewWriter(&packed)
		file, err := archive.Create("murmur.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.Write([]byte("name: " + name + "\nversion: 1.0.0\nexports: { peer_tasks: { accept: true } }\nnetwork: { authentication: { scheme: bearer } }\n"))
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(packed.Bytes())
		dir := filepath.Join(".murmur", "artifacts", "local", name, "1.0.0")
		write(packed.Bytes(), dir, name+"-1.0.0.mur.zip")
		write([]byte(hex.EncodeToString(sum[:])), dir, name+"-1.0.0.sha256")
	}
	return w
}

const twoMembers = `roster_version: 1
members:
  - { name: lead, capsule: local/lead, version: 1.0.0, entry: true }
  - { name: coder, capsule: local/coder, version: 1.0.0 }
reachability: all
`

func TestARosterBecomesAPlan(t *testing.T) {
	w := project(t, twoMembers, "lead", "coder")
	var warned []string
	w.Warn = func(text string) { warned = append(warned, text) }
	printed(t, w, `
		local plan = mur.formation.roster(".", { task = "add" })
		print(plan, #plan.members)
		print(mur.formation.roster "roster.yaml", mur.formation.roster())
	`, "plan of 2 members\t2\nplan of 2 members\tplan of 2 members")
	if len(warned) != 0 {
		t.Errorf("warned of %q", warned)
	}
}

func TestARefusedRosterSaysItsCode(t *testing.T) {
	w := project(t, twoMembers, "lead")
	printed(t, w, `
		local ok, err = pcall(mur.formation.roster, ".")
		print(ok, err.kind, err.code, err.message:match "'coder'", err.hint)
		ok, err = pcall(mur.formation.roster, "elsewhere")
		print(ok, err.kind, err.code)
	`, "false\troster\tE-ROS-007\t'coder'\trun mur install local/coder@1.0.0\nfalse\troster\tE-ROS-001")
}
