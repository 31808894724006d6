package bindings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"murlua/lifecycle/formation"
)

// PlanView is a plan for people and for JSON.
type PlanView struct {
	Name    string       `json:"name,omitempty"`
	Members []PlanMember `json:"members"`
	// Order has the names of those that start together, once all of the lists before are ready.
	Order [][]string `json:"order"`
}

// PlanMember is one member of a [PlanView].
type PlanMember struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"` // capsule, script or command
	What  string   `json:"what"` // name@version, the script's path, or the command line
	Entry bool     `json:"entry,omitempty"`
	After []string `json:"after,omitempty"`
	Calls []string `json:"calls,omitempty"`
	Ready string   `json:"ready"` // what has to be so before it counts as ready
}

func (p *planned) view() PlanView {
	view := PlanView{Name: p.plan.Name, Order: p.plan.Order()}
	for _, m := range p.plan.Members {
		member := PlanMember{Name: m.Name, Entry: m.Entry, After: m.After, Calls: m.Calls}
		switch {
		case m.Capsule != nil:
			member.Kind, member.What = "capsule", m.Capsule.Name+"@"+m.Capsule.Version
		case m.Script != nil:
			member.Kind, member.What = "script", p.short(m.Script.Path)
		case m.Command != nil:
			member.Kind, member.What = "command", strings.Join(m.Command.Args, " ")
		}
		member.Ready = p.readyText(m)
		view.Members = append(view.Members, member)
	}
	return view
}

// check finds what a launch would refuse before it started anything.
func (p *planned) check() error {
	wrong := []error{p.plan.Check()}
	for _, m := range p.plan.Members {
		if m.Script == nil {
			continue
		}
		if _, err := os.Stat(m.Script.Path); err != nil {
			wrong = append(wrong, fmt.Errorf("member %q: its script cannot be read: %w", m.Name, err))
		}
	}
	return errors.Join(wrong...)
}

func (p *planned) readyText(m formation.Member) string {
	switch text := p.ready[m.Name]; {
	case m.Entry:
		return "started when all others are ready"
	case text != "" && m.Command == nil:
		return "its door answers, and " + text
	case text != "":
		return text
	case m.Command != nil:
		return "its process has started"
	}
	return "its door answers"
}

// short is a path as people write it: from the working directory, if it is below that.
func (p *planned) short(path string) string {
	if relative, err := filepath.Rel(p.workdir, path); err == nil && filepath.IsLocal(relative) {
		path = relative
	}
	return filepath.ToSlash(path)
}

// plural writes a count and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
