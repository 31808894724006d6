package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/output"
	"murlua/lifecycle/running"
)

// findHint says what to do about an address that leads to nothing.
func findHint(err error) error {
	problem, ok := errors.AsType[*running.AddressError](err)
	switch {
	case !ok:
		return err
	case problem.Problem == running.Ambiguous:
		return &hintedError{err, "they are " + strings.Join(slices.Concat(problem.Sessions, problem.Formations), ", ")}
	case problem.Problem == running.Malformed && problem.Of == "":
		return err
	}
	return &hintedError{err, "`murlua ps` lists what runs"}
}

// keptFormations lists the formations of which there is output, running or not.
func keptFormations(h home.Home) (kept []id.Formation) {
	entries, _ := os.ReadDir(h.Formations()) // none when it cannot be read
	for _, entry := range entries {
		launched, err := id.ParseFormation(entry.Name())
		if err != nil {
			continue
		}
		if members, err := output.Kept(formation.OutputDir(h, launched)); err == nil && len(members) > 0 {
			kept = append(kept, launched)
		}
	}
	return kept
}

// keptHint says of a formation that has ended where to look for what it wrote.
func keptHint(err error, h home.Home, ended id.Formation) error {
	if slices.Contains(keptFormations(h), ended) {
		return &hintedError{err, "`murlua logs " + string(ended) + "` shows what its members wrote"}
	}
	return &hintedError{err, "`murlua ps` lists what runs"}
}
