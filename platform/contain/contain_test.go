package contain

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChooseRefusesInsteadOfDowngrading(t *testing.T) {
	report := Report{{Group, true, ""}, {Tracked, true, ""}, {Cgroup, false, "read-only"}, {Sealed, true, ""}}
	for _, c := range []struct{ demanded, want Class }{{"", Tracked}, {Group, Group}, {Sealed, Sealed}} {
		if got, err := report.Choose(c.demanded); err != nil || got != c.want {
			t.Errorf("Choose(%q) = %q, %v, want %q", c.demanded, got, err, c.want)
		}
	}
	_, err := report.Choose(Cgroup)
	refused, ok := errors.AsType[*UnavailableError](err)
	if !ok || refused.Why != "read-only" {
		t.Fatalf("Choose(cgroup) = %v, want a refusal with the reason", err)
	}
	if want := "available here: group, tracked, sealed"; refused.Hint() != want {
		t.Errorf("hint %q, want %q", refused.Hint(), want)
	}
	if _, err := report.Choose(Job); err == nil {
		t.Error("Choose(job) was not refused")
	}
	if _, err := ParseClass("jail"); err == nil {
		t.Error("ParseClass took an unknown class")
	}
}

func TestUnifiedDirReadsMountinfo(t *testing.T) {
	const hybrid = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:3 - cgroup2 cgroup2 rw
`
	const odd = `short
50 31 0:38 /user.slice /mnt/my\040groups rw - cgroup2 none rw
`
	for _, c := range []struct {
		name, text, path, want string
		ok                     bool
	}{
		{"root of a hybrid machine", hybrid, "/", "/sys/fs/cgroup/unified", true},
		{"below", hybrid, "/user.slice/a", "/sys/fs/cgroup/unified/user.slice/a", true},
		{"partial mount with a blank", odd, "/user.slice/x", "/mnt/my groups/x", true},
		{"outside a partial mount", odd, "/user.slices/x", "", false},
		{"none", "", "/", "", false},
	} {
		got, ok := unifiedDir(parseMountinfo(c.text), c.path)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: got %q, %v, want %q, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestUnifiedPathIsTheLineWithoutControllers(t *testing.T) {
	if got, ok := unifiedPath("4:memory:/a\n0::/b c\n"); got != "/b c" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
	if _, ok := unifiedPath("4:memory:/a\n"); ok {
		t.Error("found a cgroup2 path where there is none")
	}
}

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       stat
		over, ok   bool
	}{
		{"plain", "9 (sleep) S 7 55 44 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1234 0", stat{"sleep", 'S', 7, 55, 1, "1234"}, false, true},
		{"parentheses and blanks", "9 (a) b (c) R 7 55 44 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 1234 0", stat{"a) b (c", 'R', 7, 55, 3, "1234"}, false, true},
		{"ended", "9 (x) Z 7 55 44 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1234 0", stat{"x", 'Z', 7, 55, 1, "1234"}, true, true},
		{"first thread ended, others run", "9 (x) Z 7 55 44 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 1234 0", stat{"x", 'Z', 7, 55, 2, "1234"}, false, true},
		{"too short", "9 (x) S 7 55", stat{}, false, false},
		{"no name", "9 x S 7", stat{}, false, false},
	} {
		got, ok := parseStat(c.text)
		if ok != c.ok || !cmp.Equal(got, c.want, cmp.AllowUnexported(stat{})) || got.over() != c.over {
			t.Errorf("%s: got %+v, %v, over %v", c.name, got, ok, got.over())
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("9 (a) b (c) R 7 55 44 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 1234 0")
	f.Add(")(")
	f.Fuzz(func(t *testing.T, text string) { parseStat(text) })
}

func FuzzMountinfo(f *testing.F) {
	f.Add(`50 31 0:38 /user.slice /mnt/my\040groups rw - cgroup2 none rw`, "/user.slice/x")
	f.Fuzz(func(t *testing.T, text, path string) { unifiedDir(parseMountinfo(text), path) })
}
