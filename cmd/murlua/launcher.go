package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"

	"murlua/bindings"
	"murlua/engine/repl"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/claim"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// host is a process that may let somebody in, and what it is.
type host struct {
	process.Identity
	inside string
	admits time.Time // until when it may come to let somebody in
	marked bool      // nothing but the formation's marker names it: the formation may have ended
}

// admitsWithin is how long after the beginning of a launch its process lets others in, if it ever does: it does so 20 ms
// after the beginning, or when the members are ready, and is not alone on the machine.
const admitsWithin = 2 * time.Second

func launcherOf(f id.Formation, launcher process.Identity) host {
	return host{Identity: launcher, inside: "attached to " + string(f), admits: f.Time().Add(admitsWithin)}
}

// launchersOf returns the processes that hold a formation: one, unless records contradict each other.
func launchersOf(h home.Home, wanted id.Formation) ([]host, error) {
	listing, err := running.Scan(h.Running())
	if err != nil {
		return nil, err
	}
	var hosts []host
	for _, r := range listing.Records {
		launcher, ok := r.Launcher()
		if r.FormationID == wanted && ok && (len(hosts) == 0 || hosts[0].Identity != launcher) {
			hosts = append(hosts, launcherOf(wanted, launcher))
		}
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	// None of its members has come up yet, or the only one is just being started again.
	if holder, named := claim.Of(h, wanted); named {
		return []host{launcherOf(wanted, holder.Launcher())}, nil
	}
	marker, is := formation.ReadMarker(filepath.Join(h.Formations(), string(wanted)))
	if !is || process.Inspect(marker.Launcher()).Kind == process.Gone {
		return nil, noneRuns(h, wanted)
	}
	last := launcherOf(wanted, marker.Launcher())
	last.marked = true
	return []host{last}, nil
}

func noneRuns(h home.Home, wanted id.Formation) error {
	return keptHint(fmt.Errorf("no running member of formation %s is known", wanted), h, wanted)
}

// dialOne connects to the first that lets anybody in, and waits for one that may be about to; none is
// [attach.ErrNobody].
func dialOne(ctx context.Context, h home.Home, candidates []host) (conn net.Conn, inside string, err error) {
	err = attach.ErrNobody
	for _, of := range candidates {
		if conn, err = attach.Dial(ctx, h, of.Identity); err == nil {
			return conn, of.inside, nil
		}
		if !errors.Is(err, attach.ErrNobody) {
			return nil, "", err
		}
	}
	for _, of := range candidates {
		left := min(time.Until(of.admits), admitsWithin)
		if left <= 0 {
			continue
		}
		within, cancel := context.WithTimeout(ctx, left)
		conn, err = attach.Await(within, h, of.Identity)
		cancel()
		switch {
		case err == nil:
			return conn, of.inside, nil
		case ctx.Err() != nil:
			return nil, "", context.Cause(ctx)
		case !errors.Is(err, attach.ErrNobody):
			return nil, "", err
		}
	}
	return nil, "", err
}

// errEnded says that the process which held a formation holds it no longer.
var errEnded = errors.New("the formation has ended")

// askView asks those that may hold a formation how it stands with it. When nobody answers that is [attach.ErrNobody].
func askView(ctx context.Context, h home.Home, hosts []host, wanted id.Formation) (text json.RawMessage, view bindings.FormationView, err error) {
	conn, _, err := dialOne(ctx, h, hosts)
	if err != nil {
		return nil, view, err
	}
	remote := repl.NewRemote(conn, io.Discard, io.Discard)
	defer remote.Close()
	return viewOf(ctx, remote, wanted)
}

// viewOf asks a process that lets others in about a formation.
func viewOf(ctx context.Context, remote *repl.Remote, wanted id.Formation) (text json.RawMessage, view bindings.FormationView, err error) {
	text, err = remote.State(ctx, string(wanted))
	switch {
	case errors.Is(err, repl.ErrGone): // it has shut everybody out
		return nil, view, attach.ErrNobody
	case err != nil: // it knows of no such formation
		return nil, view, errEnded
	}
	if err := json.Unmarshal(text, &view); err != nil {
		return nil, view, fmt.Errorf("cannot read what the recipe says of %s: %w", wanted, err)
	}
	return text, view, nil
}
