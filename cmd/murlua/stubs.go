package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"murlua/stdlib/meta"
)

type stubsCommand struct {
	Dir string `arg:"" help:"The folder of the scripts."`
}

// luarc is what the Lua language server has to know about scripts for this host.
func luarc() []byte {
	text, err := json.MarshalIndent(map[string]any{
		"$schema":                        "https://raw.githubusercontent.com/LuaLS/vscode-lua/master/setting/schema.json",
		"runtime.version":                "Lua 5.1",
		"workspace.library":              []string{"mur"},
		"workspace.checkThirdParty":      false,
		"doc.privateName":                []string{"_*"},
		"diagnostics.unusedLocalExclude": []string{"_*"},
	}, "", "  ")
	if err != nil {
		panic(err) // texts and lists always encode
	}
	return append(text, '\n')
}

func (c *stubsCommand) run(_ context.Context, o *outside) error {
	library := filepath.Join(c.Dir, "mur")
	if err := os.MkdirAll(library, 0o755); err != nil {
		return fmt.Errorf("cannot make the folder %q: %w", library, err)
	}
	files := meta.Files()
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(library, file.Name), []byte(file.Source), 0o644); err != nil {
			return fmt.Errorf("cannot write a stub: %w", err)
		}
	}
	writeAll(o.stdout, fmt.Sprintf("wrote %d stubs to %s\n", len(files), library))
	settings := filepath.Join(c.Dir, ".luarc.json")
	err := writeNew(settings, luarc())
	if errors.Is(err, fs.ErrExist) {
		writeAll(o.stdout, fmt.Sprintf("%s is there already; it needs these settings:\n%s", settings, luarc()))
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", settings, err)
	}
	writeAll(o.stdout, "wrote "+settings+"\n")
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
