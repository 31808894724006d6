package artifact_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"murlua/lifecycle/artifact"
	"murlua/lifecycle/home"
)

// packed returns a zip file of files, given as name, content, name, content.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func install(t *testing.T, store, file string, data []byte) {
	t.Helper()
	at := filepath.Join(store, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheProjectsStoreComesFirst(t *testing.T) {
	project := t.TempDir()
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stores := artifact.Stores(project, h)
	mine, yours := packed(t, "a.lua", "mine"), packed(t, "a.lua", "yours")
	install(t, stores[1], "local/a/1.0.0/a-1.0.0.mur.zip", yours)
	for _, want := range [][]byte{yours, mine} {
		found, err := artifact.Find(stores, "local/a", "1.0.0")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(want)
		if got := found.SHA256; got != hex.EncodeToString(sum[:]) {
			t.Errorf("found %s with digest %s", found.Path, got)
		}
		install(t, filepath.Join(project, ".murmur", "artifacts"), "local/a/1.0.0/a-1.0.0.mur.zip", mine)
	}
}

func TestWhatIsNotInstalledSaysWhereItWasLookedFor(t *testing.T) {
	_, err := artifact.Find([]string{"/one", "/two"}, "local/a", "1.0.0")
	if _, ok := errors.AsType[*artifact.NotInstalledError](err); !ok || err.Error() != "local/a@1.0.0 is not installed in /one or /two" {
		t.Errorf("error: %v", err)
	}
}

func TestNamesDoNotLeadOutOfTheStore(t *testing.T) {
	store := t.TempDir()
	install(t, store, "x-1.mur.zip", packed(t, "a.lua", ""))
	for _, c := range [][2]string{
		{"..", "1"},
		{"../x", "1"},
		{"a/../x", "1"},
		{"", "1"},
		{"a/b/c", "1"},
		{"A", "1"},
		{"a/", "1"},
		{"x", ".."},
		{"x", "../1"},
		{"x", ""},
		{"x", "."},
		{"x", `1\2`},
		{"x", "/1"},
	} {
		found, err := artifact.Find([]string{store}, c[0], c[1])
		if found != nil || err == nil {
			t.Errorf("%q in version %q: %v, %v", c[0], c[1], found, err)
		}
		if _, missing := errors.AsType[*artifact.NotInstalledError](err); missing {
			t.Errorf("%q in version %q was looked for: %v", c[0], c[1], err)
		}
	}
}

func TestAFileThatIsNoArtifactIsNotPassedOver(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	install(t, first, "local/a/1/a-1.mur.zip", []byte("not a zip file"))
	install(t, second, "local/a/1/a-1.mur.zip", packed(t, "a.lua", ""))
	if _, err := artifact.Find([]string{first, second}, "local/a", "1"); err == nil || !strings.Contains(err.Error(), first) {
		t.Errorf("error: %v", err)
	}
}

func TestWhichScriptIsTheCapsules(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
		bad   string
	}{
		{[]string{"murmur.yaml"}, "", ""},
		{[]string{"murmur.yaml", "capsule.wasm", "lib/a.lua"}, "", ""},
		{[]string{"murmur.yaml", "coder.lua", "lib/a.lua"}, "coder.lua", ""},
		{[]string{"a.lua", "capsule.lua", "b.lua"}, "capsule.lua", ""},
		{[]string{"a.lua", "b.lua"}, "", "which of a.lua, b.lua is the capsule's script"},
	} {
		store := t.TempDir()
		var files []string
		for _, name := range c.files {
			files = append(files, name, "text of "+name)
		}
		install(t, store, "x/1/x-1.mur.zip", packed(t, files...))
		found, err := artifact.Find([]string{store}, "x", "1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := found.Main()
		if got != c.want || (err != nil) != (c.bad != "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%v: %q, %v", c.files, got, err)
		}
		if got == "" {
			continue
		}
		if text, err := fs.ReadFile(found, got); err != nil || string(text) != "text of "+got {
			t.Errorf("%s: %q, %v", got, text, err)
		}
	}
}

func TestAScriptHasABound(t *testing.T) {
	store := t.TempDir()
	install(t, store, "x/1/x-1.mur.zip", packed(t, "x.lua", strings.Repeat(" ", 16<<20+1)))
	found, err := artifact.Find([]string{store}, "x", "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(found, "x.lua"); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("error: %v", err)
	}
}
