package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// required asks a host for modules and returns what the script returns.
func required(t *testing.T, o Options, source string) (string, error) {
	t.Helper()
	host, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close(context.Background()) })
	values, err := host.Run(context.Background(), "main.lua", source)
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0].String(), nil
}

func TestRequireLooksIntoTheFilesBeforeTheFolders(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"both.lua": "return 'folder'", "only.lua": "return 'folder only'"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options := Options{
		Folders: []string{folder},
		Files: fstest.MapFS{
			"both.lua":     {Data: []byte("return 'files'")},
			"lib/init.lua": {Data: []byte("return 'lib'")},
			"lib/part.lua": {Data: []byte("error('broken')")},
		},
	}
	got, err := required(t, options, "return table.concat({ require 'both', require 'only', require 'lib' }, ' ')")
	if err != nil || got != "files folder only lib" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := required(t, options, "require 'lib.part'"); err == nil || !strings.Contains(err.Error(), "lib/part.lua:1: broken") {
		t.Errorf("an error in a module: %v", err)
	}
}

func TestAModuleThatIsNowhereSaysWhereItWasLookedFor(t *testing.T) {
	folder := t.TempDir()
	hint, err := required(t, Options{Files: fstest.MapFS{}, Folders: []string{folder}}, "local ok, err = pcall(require, 'gone'); return err.hint")
	want := "looked for gone.lua, gone/init.lua, " + filepath.Join(folder, "gone.lua") + ", " + filepath.Join(folder, "gone", "init.lua")
	if err != nil || hint != want {
		t.Errorf("hint %q, want %q, %v", hint, want, err)
	}
}
