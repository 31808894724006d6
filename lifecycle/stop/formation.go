package stop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// membersWithin is how long the members have to be gone once their launcher is: what a member itself takes at most.
const membersWithin = 25 * time.Second

// FormationReport says how a formation was stopped.
type FormationReport struct {
	Formation id.Formation `json:"formation_id"`
	Launcher  Launcher     `json:"launcher"`
	Members   []Member     `json:"members"`
	// ByHand are the sessions of members that no launcher started.
	ByHand []SessionReport `json:"by_hand,omitempty"`
}

// Launcher is what became of a formation's launcher.
type Launcher struct {
	PID    int    `json:"pid,omitempty"` // 0 when no running member records one
	Signal Signal `json:"signal"`
}

// Member is what became of a member.
type Member struct {
	Session string `json:"session_id"`
	Capsule string `json:"capsule"`
	Ending  string `json:"ending"`
}

// The endings that no trace says.
const (
	EndedByHand  = "started by hand — stopped as one session below"
	StillRunning = "still running"
	Ended        = "ended"
)

// NoFormationError is a formation of which nothing runs.
type NoFormationError struct {
	Formation id.Formation
	Pruned    int // how many of its records were stale and are removed now
}

func (e *NoFormationError) Error() string {
	if e.Pruned > 0 {
		return fmt.Sprintf("no member of %s is running: %d stale records of it were pruned just now", e.Formation, e.Pruned)
	}
	return fmt.Sprintf("no running member of %s is known", e.Formation)
}

// Code is murmur's name of the failure.
func (*NoFormationError) Code() string { return "E-RUN-022" }

// Formation stops a formation through its launcher, and waits until every member is gone. Errors: a
// [*NoFormationError]; an [*Error] when launchers contradict each other, when the launcher may not be signalled, or
// when members are still running after the report; the cause of ctx.
func Formation(ctx context.Context, o Options, formation id.Formation) (FormationReport, error) {
	report := FormationReport{Formation: formation, Launcher: Launcher{Signal: NoSignal}}
	members, err := membersOf(o, formation)
	holder, named := claim.Of(o.Home, formation)
	if _, none := errors.AsType[*NoFormationError](err); err != nil && !(none && named) {
		return report, err
	}
	launcher, err := launcherOf(members)
	if err != nil {
		return report, err
	}
	if launcher == nil && named { // none of its members has come up yet
		own := holder.Launcher()
		launcher = &own
	}
	if launcher != nil {
		report.Launcher.PID = launcher.PID
		if report.Launcher.Signal, err = endProcess(ctx, *launcher, o.Grace); err != nil {
			return report, err
		}
	}
	var failed []error
	for _, record := range members {
		if !byHand(record) {
			continue
		}
		session, err := Session(ctx, o, record)
		report.ByHand = append(report.ByHand, session)
		failed = append(failed, err)
	}
	report.Members, err = awaitMembers(ctx, o, members)
	return report, errors.Join(append(failed, err)...)
}

// membersOf returns the formation's records whose process is not gone, and prunes the others.
func membersOf(o Options, formation id.Formation) ([]running.Record, error) {
	records, err := running.List(o.Home)
	if err != nil {
		return nil, err
	}
	records = slices.DeleteFunc(records, func(r running.Record) bool { return r.FormationID != formation })
	pruned := 0
	live := slices.DeleteFunc(records, func(r running.Record) bool {
		if running.ProcessState(r).Kind != process.Gone {
			return false
		}
		if running.Prune(o.Home, r) == nil {
			pruned++
		}
		return true
	})
	if len(live) == 0 {
		return nil, &NoFormationError{formation, pruned}
	}
	return live, nil
}

// launcherOf returns the one launcher that the members name, nil when none names one.
func launcherOf(members []running.Record) (*process.Identity, error) {
	var found *process.Identity
	for _, record := range members {
		launcher, named := record.Launcher()
		switch {
		case !named:
		case found == nil:
			found = &launcher
		case found.PID != launcher.PID || found.Start != launcher.Start:
			return nil, &Error{launcher.PID, fmt.Sprintf("the members name different launchers, pid %d too: nothing was signalled", found.PID)}
		}
	}
	return found, nil
}

// byHand reports whether a member holds nothing that ends it with its formation.
func byHand(record running.Record) bool { return !record.FormationLifeline && record.SpawnedBy == "" }

func awaitMembers(ctx context.Context, o Options, members []running.Record) ([]Member, error) {
	ctx, cancel := context.WithTimeout(ctx, membersWithin)
	defer cancel()
	ended := make([]Member, len(members))
	var all sync.WaitGroup
	for i, record := range members {
		all.Go(func() { ended[i] = awaitMember(ctx, o, record) })
	}
	all.Wait()
	var left []string
	for _, m := range ended {
		if m.Ending == StillRunning {
			left = append(left, m.Session)
		}
	}
	if len(left) > 0 {
		return ended, &Error{members[0].PID, "still running: " + strings.Join(left, ", ")}
	}
	return ended, nil
}

func awaitMember(ctx context.Context, o Options, record running.Record) Member {
	m := Member{Session: string(record.SessionID), Capsule: record.CapsuleName + "@" + record.CapsuleVersion}
	if ref, _ := process.OpenIdentity(record.Identity()); ref != nil {
		select {
		case <-ref.Exited():
		case <-ctx.Done():
		}
		_ = ref.Close()
	}
	switch {
	case byHand(record):
		m.Ending = EndedByHand
	case running.ProcessState(record).Kind != process.Gone:
		m.Ending = StillRunning
		return m
	default:
		m.Ending = endingOf(record)
	}
	_ = running.Prune(o.Home, record) // gone; a record that cannot be removed is found stale by the next reader
	return m
}
