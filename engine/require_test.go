package engine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRequire(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.lua":       `print("loading plain", ...) return { name = ... }`,
		"nested/init.lua": `return { part = require("nested.part") }`,
		"nested/part.lua": `return "part"`,
		"slow.lua":        `local mur = require "mur" print("loading slow") mur.sleep(0.02) return {}`,
		"failing.lua":     `tries = (tries or 0) + 1 if tries == 1 then error("not yet") end return "fine"`,
		"broken.lua":      "local x =\nlocal",
		"circle_a.lua":    `return require("circle_b")`,
		"circle_b.lua":    `return require("circle_a")`,
		"nothing.lua":     ``,
		"yields.lua":      `return coroutine.yield("from the module")`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	h := newHost(t, Options{Stdout: &out, Folders: []string{filepath.Join(dir, "none"), dir}})
	_, err := h.Run(context.Background(), "test.lua", `
		local mur = require "mur"
		print(require("plain").name, require("plain") == require("plain"), package.loaded.plain == require("plain"))
		print(require("nested").part, require("nothing"))
		local both = mur.task.all { function() return require("slow") end, function() return require("slow") end }
		print(both[1] == both[2])
		print(select(2, pcall(require, "failing")):match(": (.*)"), package.loaded.failing, require("failing"))
		print((tostring(select(2, pcall(require, "broken"))):gsub("^.*/", "")))
		print(select(2, pcall(require, "circle_a")).message)
		print(select(2, pcall(require, "../plain")).message)
		print(select(2, pcall(require, "absent")).message)
		print(coroutine.wrap(function() return require("yields") end)())`)
	if err != nil {
		t.Fatal(err)
	}
	want := `loading plain	plain
plain	true	true
part	true
loading slow
true
not yet	nil	fine
broken.lua:2: syntax error near 'local'
module 'circle_a' requires itself, directly or through another
cannot require '../plain': not a module name
module 'absent' not found
from the module`
	if got := strings.TrimSpace(out.String()); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
