package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"murlua/bindings"
	"murlua/engine"
	"murlua/engine/repl"
	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
	"murlua/stdlib/meta"
)

// names is what a prompt knows of the world around it: the Lua face, the sessions, the files.
type names struct {
	outside *outside
	docs    *meta.Docs
}

func newNames(o *outside) (*names, error) {
	docs, err := meta.Load()
	if err != nil {
		return nil, fmt.Errorf("cannot read the description of the Lua face: %w", err)
	}
	return &names{outside: o, docs: docs}, nil
}

// promptOf is what those find who attach to a script that this process runs.
func (o *outside) promptOf() bindings.Prompt {
	return func(out io.Writer) (map[string]engine.Function, repl.Names) {
		n, err := newNames(o)
		if err != nil {
			return nil, repl.Names{}
		}
		return n.functions(out), n.completion()
	}
}

// functions are those that exist at a prompt only. They show on out.
func (n *names) functions(out io.Writer) map[string]engine.Function {
	return map[string]engine.Function{
		"help": func(c *engine.Call) error {
			text := n.help(repl.NameOf(c, 1))
			return c.Block(func(context.Context) error {
				writeAll(out, text)
				return nil
			})
		},
		"ps": func(c *engine.Call) error {
			return c.Block(func(ctx context.Context) error {
				text, err := n.ps(ctx)
				writeAll(out, text)
				return err
			})
		},
	}
}

// help is what is known of a topic; "" is the overview.
func (n *names) help(topic string) string {
	if topic == "" {
		topic = "mur"
	}
	page, isCommand := pages()[topic]
	// The stubs write the names of classes with a capital.
	for _, candidate := range []string{topic, "mur." + strings.ToUpper(topic[:1]) + topic[1:]} {
		text, ok := n.docs.Help(candidate)
		if !ok {
			continue
		}
		text = strings.TrimRight(text, "\n") + "\n"
		if isCommand {
			text += "\nThe command of that name: murlua help " + topic + "\n"
		}
		return text
	}
	if isCommand {
		return page
	}
	text := fmt.Sprintf("there is no help on %s\n", topic)
	if near := n.docs.Nearest(topic); len(near) > 0 {
		text += "  hint: there is help on " + strings.Join(near, ", ") + "\n"
	}
	return text
}

// ps lists what runs. It removes nothing: a look from a prompt leaves the records alone.
func (n *names) ps(ctx context.Context) (string, error) {
	h, err := home.Resolve(n.outside.getenv("HOME"))
	if err != nil {
		return "", err
	}
	listing, err := running.Scan(h.Running())
	if err != nil {
		return "", err
	}
	var live []listed
	for i, verdict := range (running.Verifier{Probe: door.Probe}).VerifyAll(ctx, listing.Records) {
		if verdict.State != running.Gone {
			live = append(live, listed{Record: listing.Records[i], Liveness: verdict})
		}
	}
	if err := nameFormations(h, live); err != nil {
		return "", err
	}
	return table(live, time.Now()), nil
}

func (n *names) completion() repl.Names {
	return repl.Names{Members: n.members, Options: n.options, Sessions: n.sessions, Files: n.files}
}

func (n *names) members(path []string) (found []string) {
	module := strings.Join(path, ".")
	if m := n.docs.Module(module); m != nil {
		for _, f := range m.Functions {
			found = append(found, strings.TrimPrefix(f.Name, module+"."))
		}
	}
	return found
}

// options lists the keys of the last parameter that is a table of known keys.
func (n *names) options(call []string) (keys []string) {
	f := n.docs.Function(strings.Join(call, "."))
	if f == nil {
		return nil
	}
	for i := len(f.Params) - 1; i >= 0; i-- {
		class := n.docs.Options(f, i)
		if class == nil {
			continue
		}
		for _, field := range n.docs.Fields(class) {
			if !strings.HasPrefix(field.Name, "[") {
				keys = append(keys, field.Name)
			}
		}
		return keys
	}
	return nil
}

func (n *names) sessions() (ids []string) {
	h, err := home.Resolve(n.outside.getenv("HOME"))
	if err != nil {
		return nil
	}
	listing, err := running.Scan(h.Running())
	if err != nil {
		return nil
	}
	for _, r := range listing.Records {
		ids = append(ids, string(r.SessionID))
		if r.FormationID != "" {
			ids = append(ids, string(r.FormationID))
		}
	}
	return ids
}

func (n *names) files(prefix string) (paths []string) {
	folder, _ := filepath.Split(prefix)
	entries, err := os.ReadDir(pathFrom(n.outside.workdir, folder))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		path := folder + entry.Name()
		if entry.IsDir() {
			path += string(filepath.Separator)
		}
		if !strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(strings.TrimPrefix(prefix, folder), ".") {
			paths = append(paths, path)
		}
	}
	return paths
}
