package meta_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"murlua/stdlib/meta"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the reference pages instead of comparing them")

func load(t *testing.T) *meta.Docs {
	t.Helper()
	docs, err := meta.Load()
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestReferencePages(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "reference")
	docs := load(t)
	if *update {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pages := map[string]bool{}
	for _, m := range docs.Modules {
		name := m.Name + ".md"
		pages[name] = true
		path, want := filepath.Join(dir, name), docs.Markdown(m)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v (go generate ./stdlib/meta writes it)", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not what the stubs say (go generate ./stdlib/meta writes it): -want +got\n%s", path, diff)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "mur*.md"))
	for _, file := range files {
		if !pages[filepath.Base(file)] {
			t.Errorf("%s describes a module that no stub describes", file)
		}
	}
}

var typeName = regexp.MustCompile(`\bmur\.[A-Z]\w*`)

// Every type that a stub names must be described, or help would lead nowhere.
func TestEveryNamedTypeIsDescribed(t *testing.T) {
	docs := load(t)
	check := func(where, typ string) {
		for _, name := range typeName.FindAllString(typ, -1) {
			if docs.Class(name) == nil && docs.Alias(name) == nil {
				t.Errorf("%s: the type %s is described nowhere", where, name)
			}
		}
	}
	function := func(f *meta.Function) {
		for _, p := range f.Params {
			check(f.Name, p.Type)
		}
		for _, r := range f.Returns {
			check(f.Name, r.Type)
		}
	}
	for _, m := range docs.Modules {
		for _, f := range m.Functions {
			function(f)
		}
		for _, v := range m.Values {
			check(m.Name+"."+v.Name, v.Type)
		}
		for _, a := range m.Aliases {
			check(a.Name, a.Type)
		}
		for _, c := range m.Classes {
			for _, f := range c.Methods {
				function(f)
			}
			for _, field := range c.Fields {
				check(c.Name+"."+field.Name, field.Type)
			}
			for _, parent := range c.Parents {
				check(c.Name, parent)
			}
		}
	}
}

// A description is what the reference page consists of: it may not be missing.
func TestEverythingIsDescribed(t *testing.T) {
	docs := load(t)
	for _, m := range docs.Modules {
		if m.Text == "" {
			t.Errorf("the module %s has no description", m.Name)
		}
		for _, a := range m.Aliases {
			if a.Text == "" {
				t.Errorf("the type %s has no description", a.Name)
			}
		}
		functions := m.Functions
		for _, c := range m.Classes {
			functions = append(functions, c.Methods...)
		}
		for _, f := range functions {
			if f.Text == "" {
				t.Errorf("%s has no description", f.Name)
			}
			if len(f.Params) > 0 && f.Params[0].Type == "" {
				t.Errorf("%s: a parameter has no type", f.Name)
			}
		}
		for _, f := range m.Functions {
			if f.Example == "" && m.Example == "" {
				t.Errorf("%s has no example, nor has its module", f.Name)
			}
		}
	}
}

func TestEveryTopicHasHelp(t *testing.T) {
	docs := load(t)
	for _, topic := range docs.Topics() {
		text, ok := docs.Help(topic)
		if !ok || !strings.HasPrefix(text, topic) {
			t.Errorf("help %s begins with %q, ok %v", topic, text[:min(40, len(text))], ok)
		}
		for line := range strings.Lines(text) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 130 {
				t.Errorf("help %s has a line of %d characters: %q", topic, len(line), line)
			}
		}
	}
}

// Every type that help names has a page; one that is only a name for others says for which, and who uses it.
func TestTypesHavePages(t *testing.T) {
	docs := load(t)
	for topic, wants := range map[string][]string{
		"mur.Policy":      {"Is one of", "\n  mur.ReadyTable", "fun(member: mur.ReadyMember): boolean, string?", "mur.ready.within", "mur.Member"},
		"mur.SweepPolicy": {"nil or \"keep\" keep", "mur.sweep.first", "mur.SweepOptions", "its key policy"},
		"SweepKind":       {`"cgroup"`, "mur.SweepItem"},
		"EventKind":       {`"door_answered"`, "mur.FormationEvent"},
	} {
		page, _ := docs.Help(topic)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("help %s does not have %q:\n%s", topic, want, page)
			}
		}
	}
}

// A table stays one, a row a line, and an object that a function makes is not shown as if its fields were options.
func TestHelpKeepsTablesAndTellsObjectsFromOptions(t *testing.T) {
	docs := load(t)
	page, _ := docs.Help("mur.sweep")
	for _, want := range []string{
		"\n  Kind        Is                ", "\n  record      a running record  ", "prune, stop, kill\n", "\n  cgroup      ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("help mur.sweep does not have %q:\n%s", want, page)
		}
	}
	for _, topic := range []string{"ready.within", "ready.after_delay", "ready.policy"} {
		page, _ := docs.Help(topic)
		if strings.Contains(page, "(mur.ReadyPolicy)") || !strings.Contains(page, "Keys of policy (mur.ReadyTable)") {
			t.Errorf("help %s shows the keys of another type than mur.ReadyTable:\n%s", topic, page)
		}
	}
}

func TestHelpFindsShortNames(t *testing.T) {
	docs := load(t)
	long, _ := docs.Help("mur.json.encode")
	short, ok := docs.Help("json.encode")
	if !ok || short != long {
		t.Errorf("help json.encode = %q, %v", short, ok)
	}
	for _, want := range []string{"value", "Keys of options (mur.EncodeOptions)", "pretty?", "bad_value", "Example"} {
		if !strings.Contains(long, want) {
			t.Errorf("help mur.json.encode does not have %q:\n%s", want, long)
		}
	}
	if _, ok := docs.Help("json.encod"); ok {
		t.Error("help json.encod was found")
	}
	if got := docs.Nearest("json.encod"); len(got) == 0 || got[0] != "mur.json.encode" {
		t.Errorf("nearest to json.encod = %v", got)
	}
	if got := docs.Nearest("zzzzzzzz"); len(got) != 0 {
		t.Errorf("nearest to zzzzzzzz = %v", got)
	}
}

const sample = "---@meta mur.x\n\n--- Does x.\n---@class mur.x\nlocal x = {}\n\n" +
	"---@class mur.XOptions : mur.Base\n---@field size? integer|string Bytes.\n---   More about it.\n---@field on_end fun(a: string, b?: number): boolean Called.\n\n" +
	"---@class mur.Base\n---@field [string] any\n\n" +
	"---@alias mur.Either string|mur.XOptions\n\n" +
	"--- Makes one. And more.\n---\n--- Raises `bad` when it is bad, or\n--- worse.\n--- Raises `odd` when it is odd.\n---\n--- ```lua\n--- local a = 1\n---   indented()\n--- ```\n--- ```lua\n--- more()\n--- ```\n" +
	"---@async\n---@param what mur.Either The thing.\n---@param list mur.XOptions[]\n---@param ... any\n---@return string|nil name # Its name.\n---@return mur.Base\nfunction x.make(what, list, ...) end\n\n" +
	"--- A handle.\n---@class mur.Thing\nlocal Thing = {}\n\n--- Ends it.\nfunction Thing:close() end\n\n" +
	"--- Nothing.\n---@type mur.Thing\nx.none = nil\n\nreturn x\n"

func TestParse(t *testing.T) {
	docs, err := meta.Parse([]meta.File{{Name: "x.lua", Source: sample}})
	if err != nil {
		t.Fatal(err)
	}
	f := docs.Function("mur.x.make")
	want := &meta.Function{
		Name: "mur.x.make", Text: "Makes one. And more.", Async: true, Example: "local a = 1\n  indented()\n\nmore()",
		Raises:  []meta.Raise{{Kind: "bad", When: "when it is bad, or worse"}, {Kind: "odd", When: "when it is odd"}},
		Params:  []meta.Param{{Name: "what", Type: "mur.Either", Text: "The thing."}, {Name: "list", Type: "mur.XOptions[]"}, {Name: "...", Type: "any"}},
		Returns: []meta.Return{{Type: "string|nil", Name: "name", Text: "Its name."}, {Type: "mur.Base"}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	options := docs.Options(f, 0)
	if options == nil || options.Name != "mur.XOptions" {
		t.Fatalf("the options of the first parameter are %v", options)
	}
	fields := []meta.Field{
		{Name: "size", Type: "integer|string", Optional: true, Text: "Bytes. More about it."},
		{Name: "on_end", Type: "fun(a: string, b?: number): boolean", Text: "Called."},
	}
	if diff := cmp.Diff(fields, options.Fields); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if docs.Options(f, 1) != nil || docs.ElementOf(f.Params[1].Type) != options {
		t.Error("a list of tables is not told from a table")
	}
	if !docs.Accepts(options, "anything") || docs.Function("mur.Thing:close") == nil {
		t.Error("the inherited field or the method is missing")
	}
	if diff := cmp.Diff([]meta.Field{{Name: "none", Type: "mur.Thing", Text: "Nothing."}}, docs.Module("mur.x").Values); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParseRefusals(t *testing.T) {
	for name, source := range map[string]string{
		"x.lua:2: unknown annotation @parm":                                         "---@meta m\n---@parm a string\n",
		"x.lua: no ---@meta line names the module":                                  "return x\n",
		"x.lua:4: m.f has 1 parameters and 0 @param lines":                          "---@meta m\n---@class m\nlocal m = {}\nfunction m.f(a) end\n",
		"x.lua:5: m.f: the parameter \"a\" is described as \"b\"":                   "---@meta m\n---@class m\nlocal m = {}\n---@param b string\nfunction m.f(a) end\n",
		"x.lua:3: the comment above belongs to no declaration":                      "---@meta m\n--- lost\n\n",
		"x.lua:2: a stub holds annotations and empty bodies only, not \"print(1)\"": "---@meta m\nprint(1)\n",
		"x.lua:2: \"q\" is no module or class of this stub":                         "---@meta m\nfunction q.f() end\n",
		"x.lua:3: an example block is not closed":                                   "---@meta m\n--- ```lua\n\n",
	} {
		_, err := meta.Parse([]meta.File{{Name: "x.lua", Source: source}})
		if err == nil || err.Error() != name {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	for _, file := range meta.Files() {
		f.Add(file.Source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		docs, err := meta.Parse([]meta.File{{Name: "x.lua", Source: source}})
		if err != nil {
			return
		}
		for _, m := range docs.Modules {
			docs.Markdown(m)
		}
		for _, topic := range docs.Topics() {
			docs.Help(topic)
		}
	})
}
