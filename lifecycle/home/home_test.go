package home_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"murlua/lifecycle/home"
)

func resolve(t *testing.T, dir string) home.Home {
	t.Helper()
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", path, got, want)
	}
}

func TestResolveRefusesWhatIsNoHome(t *testing.T) {
	for value, text := range map[string]string{
		"":         "HOME is not set",
		"relative": "not an absolute path",
		"./x":      "not an absolute path",
	} {
		if _, err := home.Resolve(value); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("Resolve(%q) gives %v, want %q", value, err, text)
		}
	}
}

func TestResolveAndPathsCreateNothing(t *testing.T) {
	dir := t.TempDir()
	h := resolve(t, dir)
	for got, want := range map[string]string{
		h.Path():                               ".murmur",
		h.Running():                            ".murmur/running",
		h.Formations():                         ".murmur/formations",
		h.Marks():                              ".murmur/marks",
		h.RecordsDir("/srv/project/", "ses_1"): ".murmur/records/srv/project/ses_1",
		h.RecordsDir("/", "ses_1"):             ".murmur/records/ses_1",
		h.RecordsDir("/../../x", "ses_1"):      ".murmur/records/x/ses_1",
	} {
		if got != filepath.Join(dir, want) {
			t.Errorf("got %s, want %s below the home", got, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("created %v", entries)
	}
}

func TestEnsureKeepsTheOwnersBitsAndDropsTheOthers(t *testing.T) {
	for _, c := range []struct{ before, after os.FileMode }{{0o755, 0o700}, {0o777, 0o700}, {0o550, 0o500}, {0o700, 0o700}} {
		dir := t.TempDir()
		path := filepath.Join(dir, home.Name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.before); err != nil {
			t.Fatal(err)
		}
		if err := resolve(t, dir).Ensure(); err != nil {
			t.Fatal(err)
		}
		wantMode(t, path, c.after)
	}
}

func TestEnsureMakesAMissingHomePrivate(t *testing.T) {
	dir := t.TempDir()
	if err := resolve(t, dir).Ensure(); err != nil {
		t.Fatal(err)
	}
	wantMode(t, filepath.Join(dir, home.Name), 0o700)
}

func TestEnsureRefusesAFileAndFollowsALink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, home.Name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := resolve(t, dir).Ensure(); err == nil || err.Error() != path+": not a directory" {
		t.Errorf("a file as home gives %v", err)
	}
	target := t.TempDir()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	if err := resolve(t, dir).Ensure(); err != nil {
		t.Errorf("a link to a directory gives %v", err)
	}
	wantMode(t, target, 0o700)
}

func TestDirectoriesBelowArePrivate(t *testing.T) {
	h := resolve(t, t.TempDir())
	for _, ensure := range []func() (string, error){h.EnsureRunning, h.EnsureFormations} {
		dir, err := ensure()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := ensure(); err != nil {
			t.Fatal(err)
		}
		wantMode(t, dir, 0o700)
	}
	dir, err := h.EnsureRecordsDir("/srv/project", "ses_1")
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; at != h.Path(); at = filepath.Dir(at) {
		wantMode(t, at, 0o700)
	}
}
