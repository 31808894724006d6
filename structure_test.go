package murlua_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers says, for each top folder, which other folders of this module its packages may import.
// Imports go down only: the command on top, the bindings under it, then two pillars that know nothing
// of each other (the Lua host and the process lifecycle), and the platform at the bottom.
var layers = map[string][]string{
	"cmd":       {"bindings", "engine", "stdlib", "lifecycle", "platform"},
	"bindings":  {"bindings", "engine", "stdlib", "lifecycle", "platform"},
	"engine":    {"engine", "stdlib"},
	"stdlib":    {},
	"lifecycle": {"lifecycle", "platform"},
	"platform":  {"platform"},
	"tests":     {"bindings", "cmd", "engine", "stdlib", "lifecycle", "platform"},
	"scripts":   {},
}

// homes says in which folders a package from outside (or one of its functions, as "pkg.Name") may be
// used by code that is not a test. Each has one reason.
var homes = map[string][]string{
	// One Lua implementation behind one package's face.
	"github.com/yuin/gopher-lua": {"engine", "bindings"},
	// The terminal belongs to the command.
	"github.com/peterh/liner": {"cmd"},
	// Options are parsed in one place.
	"github.com/alecthomas/kong": {"cmd"},
	// A2A's library is used behind the door's face only.
	"github.com/a2aproject/a2a-go": {"lifecycle/door"},
	// Processes start where their descriptors, groups and waiters are looked after.
	"os/exec": {"platform", "lifecycle/keeper", "lifecycle/formation", "lifecycle/handle", "tests/bench"},
	// The outside world enters through the command, as one struct; programs that measure are commands too.
	"os.Args":      {"cmd", "tests/bench"},
	"os.Environ":   {"cmd", "tests/bench"},
	"os.Exit":      {"cmd", "tests/bench", "lifecycle/keeper"},
	"os.Getenv":    {"cmd", "tests/bench"},
	"os.LookupEnv": {"cmd"},
	"os.Setenv":    {},
	"os.Stdin":     {"cmd"},
	"os.Stdout":    {"cmd", "tests/bench"},
	"os.Stderr":    {"cmd", "tests/bench", "lifecycle/keeper"},
	// Waits are for events.
	"time.Sleep": {},
}

func TestImportsGoDownOnly(t *testing.T) {
	eachGoFile(t, func(t *testing.T, dir string, file *ast.File, position func(ast.Node) token.Position) {
		top, _, _ := strings.Cut(dir, "/")
		allowed, known := layers[top]
		if dir == "." {
			return
		}
		if !known {
			t.Errorf("%s: the folder %q is not in the table of layers", dir, top)
			return
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			inside, ok := strings.CutPrefix(imported, "murlua/")
			if !ok {
				if where, ok := home(imported); ok && !within(dir, where) {
					t.Errorf("%s: %q may be imported only in %v", position(spec), imported, where)
				}
				continue
			}
			target, _, _ := strings.Cut(inside, "/")
			if target != top && !within(target, allowed) || target == top && top == "stdlib" {
				t.Errorf("%s: %s may not import %s", position(spec), dir, inside)
			}
		}
	})
}

func TestTheOutsideWorldEntersInOnePlace(t *testing.T) {
	eachGoFile(t, func(t *testing.T, dir string, file *ast.File, position func(ast.Node) token.Position) {
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			if !ok || pkg.Obj != nil {
				return true
			}
			name := pkg.Name + "." + selector.Sel.Name
			if where, ok := homes[name]; ok && !within(dir, where) {
				t.Errorf("%s: %s may be used only in %v", position(n), name, where)
			}
			return true
		})
	})
}

func TestEveryPackageHasOnePackageComment(t *testing.T) {
	comments := map[string]int{}
	eachGoFile(t, func(_ *testing.T, dir string, file *ast.File, _ func(ast.Node) token.Position) {
		comments[dir] += 0
		if file.Doc != nil {
			comments[dir]++
		}
	})
	for dir, count := range comments {
		if dir != "." && count != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, count)
		}
	}
}

func TestNoFileIsTooLong(t *testing.T) {
	const limit = 500
	eachGoFile(t, func(t *testing.T, dir string, file *ast.File, position func(ast.Node) token.Position) {
		end := position(endOf{file})
		if end.Line > limit {
			t.Errorf("%s has %d lines, the limit is %d: is it still one thing?", end.Filename, end.Line, limit)
		}
	})
}

type endOf struct{ *ast.File }

func (e endOf) Pos() token.Pos { return e.FileEnd - 1 }

// home returns the folders in which the package may be imported, if it is restricted.
func home(imported string) ([]string, bool) {
	for prefix, where := range homes {
		if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
			return where, true
		}
	}
	return nil, false
}

func within(dir string, folders []string) bool {
	for _, folder := range folders {
		if dir == folder || strings.HasPrefix(dir, folder+"/") {
			return true
		}
	}
	return false
}

// eachGoFile calls check for every Go file of the module that is not a test.
func eachGoFile(t *testing.T, check func(t *testing.T, dir string, file *ast.File, position func(ast.Node) token.Position)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base != "." && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		check(t, path.Dir(filepath.ToSlash(name)), file, func(n ast.Node) token.Position { return set.Position(n.Pos()) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
