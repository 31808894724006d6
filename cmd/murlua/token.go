package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"murlua/lifecycle/home"
	"murlua/lifecycle/running"
)

type tokenCommand struct {
	Session    string `arg:"" optional:"" default:"@1" help:"A session." placeholder:"SESSION"`
	Credential string `default:"operator" help:"Whose token." placeholder:"NAME"`
}

// run prints a token, which is what it was asked for: this is the one place that does.
func (c *tokenCommand) run(_ context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	record, err := running.Find(h, c.Session)
	if err != nil {
		return findHint(err)
	}
	if record.DoorToken.IsZero() {
		return fmt.Errorf("session %s has no tokens: its door is open to all", record.SessionID)
	}
	token, ok := record.Credentials[c.Credential]
	if c.Credential == running.Operator {
		token, ok = record.DoorToken, true
	}
	if !ok {
		names := []string{}
		for name := range record.Credentials {
			names = append(names, name)
		}
		slices.Sort(names)
		names = append([]string{running.Operator}, names...)
		return &hintedError{
			fmt.Errorf("session %s has no credential %q", record.SessionID, c.Credential),
			"it has " + strings.Join(names, ", "),
		}
	}
	writeAll(o.stdout, token.Reveal()+"\n")
	return nil
}
