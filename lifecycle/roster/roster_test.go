package roster_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/home"
	"murlua/lifecycle/roster"
)

// place is a project and a home in a temporary directory.
type place struct{ project, home string }

func newPlace(t testing.TB) place {
	dir := t.TempDir()
	p := place{project: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	for _, d := range []string{p.project, p.home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(p.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p place) projectStore() string { return filepath.Join(p.project, ".murmur", "artifacts") }
func (p place) globalStore() string  { return filepath.Join(p.home, ".murmur", "artifacts") }

// install packs a manifest and stores it as murmur does. It returns the digest.
func install(t testing.TB, store, capsule, version, platform, manifest string) string {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	file, err := archive.Create("murmur.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(manifest))
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packed.Bytes())
	digest := hex.EncodeToString(sum[:])
	dir := filepath.Join(store, filepath.FromSlash(capsule), version)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	stem := filepath.Join(dir, filepath.Base(capsule)+"-"+version)
	if platform != "" {
		stem += "-" + platform
	}
	for name, content := range map[string][]byte{stem + ".mur.zip": packed.Bytes(), stem + ".sha256": []byte(digest)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return digest
}

const (
	bare   = "name: x\nversion: 1.0.0\nartifacts: []\n"
	serves = "exports:\n  peer_tasks:\n    accept: true\n"
	asks   = "network:\n  authentication:\n    scheme: bearer\n"
)

func (p place) admit(t testing.TB) (*roster.Admitted, error) {
	t.Helper()
	h, err := home.Resolve(p.home)
	if err != nil {
		t.Fatal(err)
	}
	return roster.Admit(p.project, h)
}

// list is a roster of members lead (the entry), coder and reviewer, and whatever follows them.
func list(more string) string {
	return `roster_version: 1
members:
  - { name: lead, capsule: local/lead, version: 1.0.0, entry: true }
  - { name: coder, capsule: local/coder, version: 1.0.0 }
  - { name: reviewer, capsule: local/reviewer, version: 1.0.0 }
` + more
}

func (p place) installAll(t testing.TB, manifest string) {
	for _, name := range []string{"lead", "coder", "reviewer"} {
		install(t, p.globalStore(), "local/"+name, "1.0.0", "", strings.Replace(manifest, "name: x", "name: "+name, 1))
	}
}

func TestARosterIsAdmitted(t *testing.T) {
	calls := func(a *roster.Admitted) string {
		var all []string
		for _, m := range a.Members {
			all = append(all, m.Name+":"+strings.Join(m.Calls, ","))
		}
		return strings.Join(all, " ")
	}
	for _, c := range []struct{ name, manifest, more, want string }{
		{"closed", bare, "", "lead: coder: reviewer:"},
		{"closed by null", bare, "reachability:\n", "lead: coder: reviewer:"},
		{"closed by an empty list", bare, "reachability: []\n", "lead: coder: reviewer:"},
		{
			"rules, in the order of the roster, once each", bare + serves + asks,
			"reachability:\n  - { from: lead, to: [reviewer, coder, coder] }\n  - { from: lead, to: [coder] }\n  - { from: coder, to: [reviewer] }\n",
			"lead:coder,reviewer coder:reviewer reviewer:",
		},
		{"all: nobody calls the entry", bare + serves + asks, "reachability: all\n", "lead:coder,reviewer coder:reviewer reviewer:coder"},
		{"all, when nobody serves", bare, "reachability: all\n", "lead: coder: reviewer:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.write(t, "roster.yaml", list(c.more))
			p.installAll(t, c.manifest)
			a, err := p.admit(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := calls(a); got != c.want {
				t.Errorf("calls %s, want %s", got, c.want)
			}
			for _, m := range a.Members {
				if len(m.SHA256) != 64 || m.Entry != (m.Name == "lead") {
					t.Errorf("member %+v", m)
				}
			}
			if a.Project != p.project || a.Source != filepath.Join(p.project, "roster.yaml") {
				t.Errorf("source %s of project %s", a.Source, a.Project)
			}
		})
	}
}

func TestAnArtifactIsFoundWhereMurmurPutsIt(t *testing.T) {
	tag := map[string]string{"amd64": "linux-x86_64", "arm64": "linux-aarch64"}[runtime.GOARCH]
	one := func(capsule, version string) string {
		return "roster_version: 1\nmembers: [ { name: lead, capsule: " + capsule + ", version: " + version + ", entry: true } ]\n"
	}
	for _, c := range []struct {
		name, roster string
		install      func(t *testing.T, p place) string
		version      string
	}{
		{"global store", one("local/a", "1.0.0"), func(t *testing.T, p place) string { return install(t, p.globalStore(), "local/a", "1.0.0", "", bare) }, "1.0.0"},
		{"project store first", one("local/a", "1.0.0"), func(t *testing.T, p place) string {
			install(t, p.globalStore(), "local/a", "1.0.0", "", bare)
			return install(t, p.projectStore(), "local/a", "1.0.0", "", bare+asks)
		}, "1.0.0"},
		{"this platform first", one("local/a", "1.0.0"), func(t *testing.T, p place) string {
			install(t, p.globalStore(), "local/a", "1.0.0", "", bare)
			install(t, p.globalStore(), "local/a", "1.0.0", "darwin-other", bare+serves)
			return install(t, p.globalStore(), "local/a", "1.0.0", tag, bare+asks)
		}, "1.0.0"},
		{"bare name", one("a", "1.0.0"), func(t *testing.T, p place) string { return install(t, p.globalStore(), "a", "1.0.0", "", bare) }, "1.0.0"},
		{"a number keeps its text", one("local/a", "1.10"), func(t *testing.T, p place) string { return install(t, p.globalStore(), "local/a", "1.10", "", bare) }, "1.10"},
		{"so does a large one", one("local/a", "0x10"), func(t *testing.T, p place) string { return install(t, p.globalStore(), "local/a", "0x10", "", bare) }, "0x10"},
		{"quoted", one("local/a", "'2'"), func(t *testing.T, p place) string { return install(t, p.globalStore(), "local/a", "2", "", bare) }, "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.write(t, "roster.yaml", c.roster)
			digest := c.install(t, p)
			a, err := p.admit(t)
			if err != nil {
				t.Fatal(err)
			}
			if m := a.Members[0]; m.SHA256 != digest || m.Version != c.version {
				t.Errorf("bound to %s@%s with digest %s, want %s", m.Capsule, m.Version, m.SHA256, digest)
			}
		})
	}
}

func TestWhatTheManifestsSayIsPassedOn(t *testing.T) {
	p := newPlace(t)
	p.write(t, "roster.yaml", list("reachability:\n  - { from: lead, to: [reviewer] }\n  - { from: coder, to: [reviewer] }\n"))
	p.installAll(t, bare+serves+asks+"trace:\n  retain:\n    max_sessions: 50\n    max_age: 14d\n")
	a, err := p.admit(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&roster.Retain{MaxSessions: 50, MaxAge: 14 * 24 * time.Hour}, a.Retain); diff != "" {
		t.Errorf("retain (-want +got):\n%s", diff)
	}
	if len(a.Warnings) != 1 || !strings.HasPrefix(a.Warnings[0], "W-ROS-001: ") || !strings.Contains(a.Warnings[0], "'reviewer' (lead, coder)") {
		t.Errorf("warnings %q", a.Warnings)
	}
	p.installAll(t, bare+serves+asks+"lifecycle:\n  task_acceptance: queue\n")
	if a, err = p.admit(t); err != nil || len(a.Warnings) != 0 || a.Retain != nil {
		t.Errorf("with a queue: %+v, %v", a, err)
	}
}

// refusals are rosters that are not admitted, each with the code of the first thing that is wrong. The stores have lead, coder and reviewer,
// which neither serve peers nor ask for tokens, unless the case says otherwise.
var refusals = []struct {
	name, roster, manifest, lock, code, says string
}{
	{"not YAML", "roster_version: [", "", "", "E-ROS-001", "roster.yaml"},
	{"empty", "", "", "", "E-ROS-001", "must be a mapping"},
	{"a list", "[]", "", "", "E-ROS-001", "must be a mapping"},
	{"two documents", list("") + "---\n{}\n", "", "", "E-ROS-001", "document"},
	{"unknown key", list("rechability: all\n"), "", "", "E-ROS-001", "rechability"},
	{"duplicate key", list("members: []\n"), "", "", "E-ROS-001", "members"},
	{"no version", "members: []\n", "", "", "E-ROS-001", "roster_version"},
	{"version 2", "roster_version: 2\nmembers: []\n", "", "", "E-ROS-001", "roster_version"},
	{"version a text", "roster_version: '1'\nmembers: []\n", "", "", "E-ROS-001", "roster_version"},
	{"version with a fraction", "roster_version: 1.0\nmembers: []\n", "", "", "E-ROS-001", "roster_version"},
	{"no members", "roster_version: 1\n", "", "", "E-ROS-001", "members"},
	{"members null", "roster_version: 1\nmembers:\n", "", "", "E-ROS-001", "members"},
	{"members empty", "roster_version: 1\nmembers: []\n", "", "", "E-ROS-001", "at least one"},
	{"members a mapping", "roster_version: 1\nmembers: {}\n", "", "", "E-ROS-001", "list"},
	{"member a text", "roster_version: 1\nmembers: [x]\n", "", "", "E-ROS-001", "members[0]"},
	{"member without a name", "roster_version: 1\nmembers: [{ capsule: local/lead, version: 1.0.0 }]\n", "", "", "E-ROS-001", "members[0].name"},
	{"member with a bad name", "roster_version: 1\nmembers: [{ name: Lead, capsule: local/lead, version: 1.0.0 }]\n", "", "", "E-ROS-001", "members[0].name"},
	{"member with an unknown key", "roster_version: 1\nmembers: [{ name: lead, capsul: x }]\n", "", "", "E-ROS-001", "capsul"},
	{"no capsule", "roster_version: 1\nmembers: [{ name: lead, version: 1.0.0 }]\n", "", "", "E-ROS-001", "capsule"},
	{"bad capsule", "roster_version: 1\nmembers: [{ name: lead, capsule: ../x, version: 1.0.0 }]\n", "", "", "E-ROS-001", "capsule"},
	{"capsule of three parts", "roster_version: 1\nmembers: [{ name: lead, capsule: a/b/c, version: 1.0.0 }]\n", "", "", "E-ROS-001", "capsule"},
	{"capsule a number", "roster_version: 1\nmembers: [{ name: lead, capsule: 7, version: 1.0.0 }]\n", "", "", "E-ROS-001", "capsule"},
	{"no capsule version", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: }]\n", "", "", "E-ROS-001", "version"},
	{"blank version", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: ' ' }]\n", "", "", "E-ROS-001", "blank"},
	{"latest", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: Latest }]\n", "", "", "E-ROS-001", "version"},
	{"version a list", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: [1] }]\n", "", "", "E-ROS-001", "version"},
	{"entry a text", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: 1.0.0, entry: 'true' }]\n", "", "", "E-ROS-001", "entry"},
	{"reachability another word", list("reachability: some\n"), "", "", "E-ROS-001", "reachability"},
	{"reachability a mapping", list("reachability: {}\n"), "", "", "E-ROS-001", "reachability"},
	{"rule a text", list("reachability: [x]\n"), "", "", "E-ROS-001", "reachability[0]"},
	{"rule with an unknown key", list("reachability: [{ from: lead, to: [coder], too: x }]\n"), "", "", "E-ROS-001", "too"},
	{"rule without from", list("reachability: [{ to: [coder] }]\n"), "", "", "E-ROS-001", "from"},
	{"rule without to", list("reachability: [{ from: lead }]\n"), "", "", "E-ROS-001", "to"},
	{"rule to nobody", list("reachability: [{ from: lead, to: [] }]\n"), "", "", "E-ROS-001", "to"},
	{"rule to a number", list("reachability: [{ from: lead, to: [7] }]\n"), "", "", "E-ROS-001", "to[0]"},
	{"rule to itself", list("reachability: [{ from: coder, to: [coder] }]\n"), "", "", "E-ROS-001", "coder"},
	{"shape before names", "roster_version: 1\nmembers: [{ name: a, capsule: local/lead, version: 1.0.0 }, { name: a }]\n", "", "", "E-ROS-001", "members[1]"},

	{"a name twice, before the entry", "roster_version: 1\nmembers: [{ name: a, capsule: local/lead, version: 1.0.0 }, { name: a, capsule: local/coder, version: 1.0.0 }]\n", "", "", "E-ROS-003", "'a'"},
	{"no entry, before the rules", "roster_version: 1\nmembers: [{ name: a, capsule: local/lead, version: 1.0.0 }]\nreachability: [{ from: a, to: [z] }]\n", "", "", "E-ROS-002", "entry"},
	{"two entries", "roster_version: 1\nmembers: [{ name: a, capsule: local/lead, version: 1.0.0, entry: true }, { name: b, capsule: local/coder, version: 1.0.0, entry: true }]\n", "", "", "E-ROS-002", "a"},
	{"an unknown member in a later rule, before a call to the entry", list("reachability: [{ from: coder, to: [lead] }, { from: coder, to: [nobody] }]\n"), "", "", "E-ROS-004", "'nobody'"},
	{"an unknown caller", list("reachability: [{ from: nobody, to: [coder] }]\n"), "", "", "E-ROS-004", "'nobody'"},
	{"a call to the entry, before the stores", list("reachability: [{ from: coder, to: [lead] }]\n"), "none", "", "E-ROS-008", "'lead'"},
	{"not installed", list(""), "none", "", "E-ROS-007", "'lead'"},
	{"a manifest that does not parse", list(""), "name: [", "", "E-ROS-007", "'lead'"},
	{"a manifest without a version", list(""), "name: x\nartifacts: []\n", "", "E-ROS-007", "'lead'"},
	{"a version that leads out of the store", "roster_version: 1\nmembers: [{ name: lead, capsule: local/lead, version: '../1.0.0', entry: true }]\n", "", "", "E-ROS-007", "'lead'"},
	{
		"the lock pins another version, before the rules", list("reachability: [{ from: lead, to: [coder] }]\n"), "",
		"lock_version: 3\nartifacts:\n- { name: local/coder, resolved_version: 2.0.0, sha256: { any: '00' } }\n", "E-REG-005", "'coder'",
	},
	{
		"the lock pins another digest", list(""), "",
		"lock_version: 3\nartifacts:\n- { name: local/coder, resolved_version: 1.0.0, sha256: { any: '00' } }\n", "E-REG-005", "'coder'",
	},
	{
		"the lock pins platforms", list(""), "",
		"lock_version: 3\nartifacts:\n- { name: local/coder, resolved_version: 1.0.0, sha256: { platforms: { linux-x86_64: '00' } } }\n", "E-REG-005", "'coder'",
	},
	{"a callee that serves no peers, before the doors", list("reachability: [{ from: lead, to: [reviewer, coder] }]\n"), "", "", "E-ROS-005", "'coder'"},
	{"a public door", list("reachability: [{ from: coder, to: [reviewer] }]\n"), bare + serves, "", "E-ROS-006", "'lead'"},
	{"a public door under all", list("reachability: all\n"), bare + serves, "", "E-ROS-006", "'lead'"},
}

// arrange makes the place of a refusal.
func arrange(t testing.TB, text, manifest, lock string) place {
	p := newPlace(t)
	p.write(t, "roster.yaml", text)
	switch manifest {
	case "none":
	case "":
		p.installAll(t, bare)
	default:
		p.installAll(t, manifest)
	}
	if lock != "" {
		p.write(t, "murmur.lock", lock)
	}
	return p
}

func TestARosterIsRefusedByTheFirstThingThatIsWrong(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			_, err := arrange(t, c.roster, c.manifest, c.lock).admit(t)
			var refusal *roster.Refusal
			if !errors.As(err, &refusal) || refusal.Code() != c.code || !strings.Contains(refusal.Error(), c.says) {
				t.Errorf("Admit gives %#v, want code %s and %q", err, c.code, c.says)
			}
		})
	}
}

func TestProjectsThatCannotBeRead(t *testing.T) {
	p := newPlace(t)
	h, err := home.Resolve(p.home)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "other.yaml", list(""))
	for name, project := range map[string]string{
		"missing": filepath.Join(p.project, "none"), "no roster": p.project, "another file": filepath.Join(p.project, "other.yaml"), "device": os.DevNull,
	} {
		var refusal *roster.Refusal
		if _, err := roster.Admit(project, h); !errors.As(err, &refusal) || refusal.Code() != roster.CodeShape {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.write(t, "roster.yaml", list(""))
	p.installAll(t, bare)
	if a, err := roster.Admit(filepath.Join(p.project, "roster.yaml"), h); err != nil || a.Project != p.project {
		t.Errorf("by the path of its file: %+v, %v", a, err)
	}
	for name, lock := range map[string]string{"no YAML": "x: [", "another version": "lock_version: 4\nartifacts: []\n", "no digest": "lock_version: 3\nartifacts: [{ name: local/a, resolved_version: 1, sha256: {} }]\n"} {
		p.write(t, "murmur.lock", lock)
		var refusal *roster.Refusal
		if _, err := roster.Admit(p.project, h); !errors.As(err, &refusal) || refusal.Code() != roster.CodeBadLock {
			t.Errorf("a lock with %s: %v", name, err)
		}
	}
}

func TestAnArtifactThatWasTamperedWithIsRefused(t *testing.T) {
	p := arrange(t, list(""), "", "")
	path := filepath.Join(p.globalStore(), "local", "coder", "1.0.0", "coder-1.0.0.mur.zip")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[10] ^= 1 // a time stamp: the archive stays readable
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var refusal *roster.Refusal
	if _, err := p.admit(t); !errors.As(err, &refusal) || refusal.Code() != roster.CodeNotInstalled || !strings.Contains(refusal.Error(), "digest") {
		t.Errorf("Admit gives %v", err)
	}
}

// TestMurmurRefusesTheSame asks the real mur, when MURLUA_MUR names it, about the same rosters.
func TestMurmurRefusesTheSame(t *testing.T) {
	mur := os.Getenv("MURLUA_MUR")
	if mur == "" {
		t.Skip("MURLUA_MUR does not name a mur binary")
	}
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			p := arrange(t, c.roster, c.manifest, c.lock)
			command := exec.CommandContext(t.Context(), mur, "run", "--roster", p.project)
			command.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
			out, err := command.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("error["+c.code+"]")) {
				t.Errorf("mur says %v, want %s:\n%s", err, c.code, out)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(list("reachability: all\n")))
	f.Add([]byte(list("reachability:\n  - { from: lead, to: [coder] }\n")))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("roster_version: 1\nmembers:\n  - &m { name: lead, capsule: a, version: 1.10, entry: true }\n  - *m\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := roster.Parse(text)
		var refusal *roster.Refusal
		switch {
		case err != nil && !errors.As(err, &refusal):
			t.Errorf("Parse fails with %v, which is no refusal", err)
		case err != nil && (refusal.Code() != roster.CodeShape || !strings.HasPrefix(refusal.Error(), "roster.yaml")):
			t.Errorf("the refusal is %+v", refusal)
		case err == nil && len(r.Members) == 0:
			t.Error("a roster without members is accepted")
		}
	})
}
