package glob

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.lua", "b.lua", "c.txt", ".hidden.lua", "x/d.lua", "x/y/e.lua", "x/.git/f.lua", "z/g.txt"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("..", filepath.Join(dir, "x", "up")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ pattern, want string }{
		{"*.lua", "a.lua b.lua"},
		{"?.lua", "a.lua b.lua"},
		{"[b-z].*", "b.lua c.txt"},
		{".*.lua", ".hidden.lua"},
		{"*/*.lua", "x/d.lua"},
		{"**/*.lua", "a.lua b.lua x/d.lua x/y/e.lua"},
		{"x/**", "x/d.lua x/up x/y x/y/e.lua"},
		{"{a,b}.lua", "a.lua b.lua"},
		{"{a.lua,x/{d,e}.lua}", "a.lua x/d.lua"},
		{"{*,a}.lua", "a.lua b.lua"},
		{"x/up/a.lua", "x/up/a.lua"},
		{"*/up/*.txt", "x/up/c.txt"},
		{"x//d.lua", "x/d.lua"},
		{"none/*", ""},
		{"none", ""},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			found, err := Find(dir+"/"+test.pattern, func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, path := range found {
				name, err := filepath.Rel(dir, path)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			if diff := cmp.Diff(test.want, strings.Join(names, " ")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestRelativePatternsGiveRelativePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.lua", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.lua", "./*.lua"} {
		if found, err := Find(pattern, func() error { return nil }); err != nil || len(found) != 1 || found[0] != "a.lua" {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, pattern := range []string{"a[", "{a", "a}", "{a,{b}", strings.Repeat("{a,b}", 11)} {
		if found, err := Find(pattern, func() error { return nil }); !errors.Is(err, ErrBadPattern) {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
}

func TestASearchCanBeStopped(t *testing.T) {
	stop := errors.New("stop")
	if _, err := Find("**", func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("find = %v", err)
	}
}

func FuzzChoices(f *testing.F) {
	for _, seed := range []string{"{a,b}", "x{a,{b,c}}y", "{", "}", "{,}", "{{{{a,b},c},d},e}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		choices, err := Choices(pattern)
		if err == nil && len(choices) == 0 {
			t.Errorf("%q has no choices", pattern)
		}
	})
}
