package bindings

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestLogLines(t *testing.T) {
	for _, test := range []struct {
		name         string
		options      LogOptions
		source, want string
	}{
		{
			"text",
			LogOptions{},
			`mur.log.debug "no" mur.log.info("cache is warm", { n = 1.5, who = "a b", ok = true, list = { 1 }, x = "y" }) mur.log.error { }`,
			`^\d\d:\d\d:\d\d\.\d{3} info  cache is warm list=\[1\] n=1\.5 ok=true who="a b" x=y\n\d\d:\d\d:\d\d\.\d{3} error table: 0x\w+\n$`,
		},
		{
			"json",
			LogOptions{JSON: true},
			`mur.log.warn("a\n\"b\"", { k = "v", f = print })`,
			`^{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"warn","message":"a\\n\\"b\\"","f":"function: .*","k":"v"}\n$`,
		},
		{"level", LogOptions{Level: "error"}, `mur.log.warn "no" mur.log.error "yes"`, `^\S+ error yes\n$`},
		{"off", LogOptions{Level: "off"}, `mur.log.error "no"`, `^$`},
		{"configured", LogOptions{}, `mur.log.configure { level = "debug", json = true } mur.log.debug "yes"`, `"message":"yes"}\n$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			test.options.Out = &out
			script(t, &World{Workdir: t.TempDir(), Log: test.options}, test.source)
			if !regexp.MustCompile(test.want).MatchString(out.String()) {
				t.Errorf("wrote %q, want %s", out.String(), test.want)
			}
		})
	}
}

func TestLogToAFile(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	script(t, &World{Workdir: dir, Log: LogOptions{Out: &out}}, `mur.log.configure { file = "log" } mur.log.info "x"`)
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || !bytes.HasSuffix(text, []byte("info  x\n")) || out.Len() != 0 {
		t.Errorf("the file has %q, %v, the output %q", text, err, out.String())
	}
	printed(t, nil, `print(select(2, pcall(mur.log.configure, { level = "loud" })).kind, select(2, pcall(mur.log.info)).kind)`, "usage\tusage")
}
