package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"murlua/stdlib/meta"
)

// Each page has the same parts in the same order: usage, what it does in steps, options, environment, signals,
// exit codes, examples.
//
//go:embed help/*.txt
var helpFiles embed.FS

type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, a name of the Lua face, or a word of the glossary."`
}

func (c helpCommand) run(_ context.Context, o *outside) error {
	topic := "murlua"
	if len(c.Topic) > 0 {
		topic = strings.Join(c.Topic, " ")
	}
	if page, ok := pages()[topic]; ok {
		writeAll(o.stdout, page)
		return nil
	}
	docs, err := meta.Load()
	if err != nil {
		return err
	}
	explained, isWord := glossary()[strings.ToLower(topic)]
	page, isName := docs.Help(topic)
	switch {
	case isWord && isName: // `murlua help formation` asks for either
		writeAll(o.stdout, explained+"\n"+page)
		return nil
	case isWord || isName:
		writeAll(o.stdout, explained+page)
		return nil
	}
	known := make([]string, 0)
	for name := range pages() {
		known = append(known, name)
	}
	slices.Sort(known)
	hint := "there is help on " + strings.Join(known, ", ") + ", and on mur and what is in it"
	if near := docs.Nearest(topic); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return &hintedError{fmt.Errorf("there is no help on %q", topic), hint}
}

// pages returns the help pages by topic.
func pages() map[string]string {
	found := map[string]string{}
	entries, err := helpFiles.ReadDir("help")
	if err != nil {
		return found
	}
	for _, entry := range entries {
		if text, err := helpFiles.ReadFile("help/" + entry.Name()); err == nil {
			found[strings.TrimSuffix(entry.Name(), ".txt")] = string(text)
		}
	}
	return found
}

// glossary returns what the words of murlua mean, each with where to read on, by word.
func glossary() map[string]string {
	found := map[string]string{}
	_, entries, _ := strings.Cut(pages()["glossary"], "\n\n")
	for entry := range strings.SplitSeq(strings.TrimSpace(entries), "\n\n") {
		word, _, _ := strings.Cut(entry, "\n")
		found[word] = entry + "\n"
	}
	return found
}
