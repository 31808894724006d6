package running

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"murlua/lifecycle/claim"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
)

// Target is what an address names: a session that runs, or a formation.
type Target struct {
	Session   Record       // when Formation is empty
	Formation id.Formation // when it is not
}

// formationPrefix begins the addresses that can name a formation only.
const formationPrefix = "frm_"

// FindTarget gives the session or the formation that an address names: the name of a formation that runs, a session as
// [Find] has it, or a formation as [FindFormation] has it. What several of them have is refused. What is wrong with an
// address is an [*AddressError].
func FindTarget(h home.Home, address string, kept ...id.Formation) (Target, error) {
	target, err := findByID(h, address, kept...)
	problem, is := errors.AsType[*AddressError](err)
	holder, named := claim.Find(h, address)
	switch {
	case err != nil && !is:
		return target, err
	case !named:
		if is && id.ValidMember(address) {
			problem.unnamed()
		}
		return target, err
	case is && problem.Problem != Ambiguous, target.Formation == holder.Formation: // no other has an id that ends so
		return Target{Formation: holder.Formation}, nil
	}
	refused := &AddressError{Address: address, Problem: Ambiguous, Of: "session or formation", Formations: []string{string(holder.Formation)}}
	switch {
	case is:
		refused.Sessions, refused.Formations = problem.Sessions, append(refused.Formations, problem.Formations...)
	case target.Formation != "":
		refused.Formations = append(refused.Formations, string(target.Formation))
	default:
		refused.Sessions = []string{string(target.Session.SessionID)}
	}
	slices.Sort(refused.Formations)
	refused.Formations = slices.Compact(refused.Formations)
	refused.Reason = "a formation has this name, and another id ends so"
	return Target{}, refused
}

// unnamed adds to what is wrong with an address that it is nobody's name either.
func (e *AddressError) unnamed() {
	switch e.Problem {
	case NoneRuns:
		e.Of, e.Reason = "session or formation", "none that runs has this name or id"
	case Malformed:
		e.Of, e.Reason = "session or formation", "none that runs has this name, and "+e.Reason
	}
}

// findByID is FindTarget for ids. An end that a session and a formation have is refused.
func findByID(h home.Home, address string, kept ...id.Formation) (Target, error) {
	if strings.HasPrefix(address, formationPrefix) {
		formation, err := FindFormation(h, address, kept...)
		return Target{Formation: formation}, err
	}
	record, err := Find(h, address)
	problem, is := errors.AsType[*AddressError](err)
	if err != nil && !is || strings.HasPrefix(address, "@") || is && problem.Problem == Malformed {
		return Target{Session: record}, err
	}
	formation, other := FindFormation(h, address, kept...)
	ambiguous, several := errors.AsType[*AddressError](other)
	several = several && ambiguous.Problem == Ambiguous
	switch {
	case other != nil && !several: // no formation has it
		return Target{Session: record}, err
	case is && problem.Problem != Ambiguous: // no session that runs has it
		return Target{Formation: formation}, other
	}
	refused := &AddressError{Address: address, Problem: Ambiguous, Of: "session or formation"}
	if is {
		refused.Sessions = slices.Clone(problem.Sessions)
	} else {
		refused.Sessions = []string{string(record.SessionID)}
	}
	if several {
		refused.Formations = ambiguous.Formations
	} else {
		refused.Formations = []string{string(formation)}
	}
	refused.Reason = fmt.Sprintf("%d of them end so", len(refused.Sessions)+len(refused.Formations))
	return Target{}, refused
}

// FindFormation gives the id of the formation that an address names. A whole id names its formation, whether it runs
// or not. Of one that has a running member the end of its id is enough, of at least four characters, in either case;
// "frm_" before it may stand before the beginning of the id too. The formations in kept, which may have ended, count
// when none that runs has the address. What is wrong with an address is an [*AddressError].
func FindFormation(h home.Home, address string, kept ...id.Formation) (id.Formation, error) {
	refuse := func(problem AddressProblem, reason string, formations ...string) (id.Formation, error) {
		return "", &AddressError{Address: address, Problem: problem, Of: "formation", Formations: formations, Reason: reason}
	}
	text := strings.ToLower(address)
	if whole, err := id.ParseFormation(text); err == nil {
		return whole, nil
	}
	digits, prefixed := strings.CutPrefix(text, formationPrefix)
	switch {
	case len(digits) < shortestSuffix:
		return refuse(Malformed, "the end of a formation id needs at least 4 characters")
	case strings.Trim(digits, "0123456789abcdef") != "":
		return refuse(Malformed, "the id of a formation is frm_ and 32 hex digits, and an end of them is enough")
	}
	records, _, err := runningNow(h)
	if err != nil {
		return "", err
	}
	var live []id.Formation
	for _, record := range records {
		live = append(live, record.FormationID)
	}
	for _, formations := range [][]id.Formation{live, kept} {
		var found []string
		for _, formation := range formations {
			name := string(formation)
			if strings.HasSuffix(name, digits) || prefixed && strings.HasPrefix(name, text) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		switch found = slices.Compact(found); len(found) {
		case 0:
		case 1:
			return id.Formation(found[0]), nil
		default:
			return refuse(Ambiguous, fmt.Sprintf("%d have such an id", len(found)), found...)
		}
	}
	return refuse(NoneRuns, "none that runs has this id")
}
