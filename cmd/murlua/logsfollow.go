package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"murlua/bindings"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/home"
	"murlua/lifecycle/output"
)

// follow prints what the members have written and go on to write, each line as it comes, until the formation has ended;
// without members that of all, also of those that start later. The lines have the names of their members in front when
// there may be several.
func (c *logsCommand) follow(ctx context.Context, o *outside, h home.Home, outputs outputs, members []string) error {
	_, view, err := askView(ctx, h, outputs.holders, outputs.of)
	if err != nil && !errors.Is(err, attach.ErrNobody) && !errors.Is(err, errEnded) {
		return err
	}
	if err := outputs.refuseFollowing(members, view.Members); err != nil {
		return err
	}
	options := output.FollowOptions{Tail: c.Tail}
	several := len(members) > 1
	if len(members) > 0 {
		options.Only = func(name string) bool { return slices.Contains(members, name) }
	} else {
		several = !(len(speaking(view.Members)) == 1 && len(outputs.kept) <= 1)
	}
	if options.Below, err = h.EnsureFormations(); err != nil {
		return err
	}
	ctx, stop := untilEnded(ctx, h, outputs.of, outputs.holders)
	defer stop()
	ctx, leave := untilUnread(ctx, o.stdout)
	defer leave()
	printers := map[string]*linePrinter{}
	err = output.Follow(ctx, outputs.dir, options, func(member string, block output.Block) {
		if printers[member] == nil {
			printers[member] = newLinePrinter(o.stdout, member, several)
		}
		printers[member].print(block)
	})
	for _, printer := range printers {
		printer.end()
	}
	return err
}

// refuseFollowing says which member there is not to follow. Those that have not started yet are known to the recipe
// only; planned is empty when it does not say.
func (f outputs) refuseFollowing(members []string, planned []bindings.MemberView) error {
	for _, member := range members {
		i := slices.IndexFunc(planned, func(m bindings.MemberView) bool { return m.Name == member })
		switch {
		case i >= 0 && planned[i].Entry && !slices.Contains(f.kept, member):
			return entryWrites(member)
		case i >= 0:
		case len(planned) > 0 && !slices.Contains(f.kept, member):
			return &hintedError{fmt.Errorf("formation %s has no member %q", f.of, member), "it has " + strings.Join(speaking(planned), ", ")}
		default:
			if err := f.refuse(member); err != nil {
				return err
			}
		}
	}
	return nil
}

// speaking are the members whose output is kept if there is any, by name: all but the entry.
func speaking(members []bindings.MemberView) (names []string) {
	for _, m := range members {
		if !m.Entry {
			names = append(names, m.Name)
		}
	}
	return names
}
