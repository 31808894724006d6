package running

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"murlua/lifecycle/home"
	"murlua/platform/process"
)

// AddressProblem is why an address led to no session.
type AddressProblem string

const (
	// Malformed: the text is no session address at all.
	Malformed AddressProblem = "malformed"
	// NoneRuns: no session that runs has the address.
	NoneRuns AddressProblem = "none_runs"
	// Ended: the session that has the address has ended.
	Ended AddressProblem = "ended"
	// Ambiguous: several sessions that run have it.
	Ambiguous AddressProblem = "ambiguous"
)

// AddressError is returned by [Find], [FindFormation] and [FindTarget] for an address that leads to nothing.
type AddressError struct {
	Address string
	Problem AddressProblem
	// Of is what was looked for; empty is "session".
	Of string
	// Sessions are the sessions in question: the one that has ended, the several that run; Formations are the several
	// formations.
	Sessions, Formations []string
	// Reason says more.
	Reason string
}

func (e *AddressError) Error() string {
	if e.Problem == Ended {
		return fmt.Sprintf("%s is not running: %s", e.Sessions[0], e.Reason)
	}
	of := e.Of
	if of == "" {
		of = "session"
	}
	return fmt.Sprintf("cannot find %s %s: %s", of, strconv.Quote(abridged(e.Address)), e.Reason)
}

// shortestSuffix is how much of the end of an id is enough to name it.
const shortestSuffix = 4

// Find gives the record of the session that an address names: "@1" for the newest that runs, "@2" for
// the one before it and so on, a whole session id, or an end of one that no other has, of at least four
// characters, in either case. A session runs when its process does, or could not be verified; the
// records of those that have ended are pruned on the way. What is wrong with an address is an
// [*AddressError].
func Find(h home.Home, address string) (Record, error) {
	refuse := func(problem AddressProblem, reason string) (Record, error) {
		return Record{}, &AddressError{Address: address, Problem: problem, Reason: reason}
	}
	number, numbered := strings.CutPrefix(address, "@")
	nth, err := strconv.ParseUint(number, 10, 31)
	switch {
	case strings.ContainsAny(address, "/:") || strings.HasSuffix(address, ".jsonl"):
		return refuse(Malformed, "a session is named by its id, the end of its id or @1, @2 …, not by a file or an address")
	case numbered && (err != nil || nth == 0):
		return refuse(Malformed, "@1 is the newest session, @2 the one before it")
	case !numbered && len(address) < shortestSuffix:
		return refuse(Malformed, "the end of a session id needs at least 4 characters")
	}
	running, ended, err := runningNow(h)
	if err != nil {
		return Record{}, err
	}
	if numbered {
		if nth > uint64(len(running)) {
			return refuse(NoneRuns, fmt.Sprintf("%d run", len(running)))
		}
		return running[nth-1], nil
	}
	return bySuffix(address, running, ended)
}

func bySuffix(address string, running []Record, ended []endedRecord) (Record, error) {
	suffix := strings.ToLower(address)
	var found []Record
	var sessions []string
	for _, record := range running {
		if strings.HasSuffix(string(record.SessionID), suffix) {
			found = append(found, record)
			sessions = append(sessions, string(record.SessionID))
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		for _, e := range ended {
			if id := string(e.SessionID); strings.HasSuffix(id, suffix) {
				return Record{}, &AddressError{Address: address, Problem: Ended, Sessions: []string{id}, Reason: e.reason}
			}
		}
		return Record{}, &AddressError{Address: address, Problem: NoneRuns, Reason: "none that runs has this id"}
	}
	reason := fmt.Sprintf("%d that run end so", len(found))
	return Record{}, &AddressError{Address: address, Problem: Ambiguous, Sessions: sessions, Reason: reason}
}

// endedRecord is a record whose process has ended, and how that is known.
type endedRecord struct {
	Record
	reason string
}

// runningNow tells the records of what runs, the newest first, from those of what has ended, which it
// prunes.
func runningNow(h home.Home) (running []Record, ended []endedRecord, err error) {
	records, err := List(h)
	if err != nil {
		return nil, nil, err
	}
	for i, state := range ProcessStates(records) {
		if state.Kind != process.Gone {
			running = appendSession(running, records[i], h)
			continue
		}
		ended = append(ended, endedRecord{records[i], state.Reason})
		// A record that could not be removed is no less stale.
		_ = Prune(h, records[i])
	}
	return running, ended, nil
}

// appendSession adds a record to those before it, in the order of their sessions. A copy of a record
// under another name is no other session: the one under its own name counts.
func appendSession(records []Record, record Record, h home.Home) []Record {
	last := len(records) - 1
	if last < 0 || records[last].SessionID != record.SessionID {
		return append(records, record)
	}
	if record.Path == Location(h, record.SessionID) {
		records[last] = record
	}
	return records
}

// ProcessStates is [ProcessState] for many records, several at once.
func ProcessStates(records []Record) []process.State {
	states := make([]process.State, len(records))
	inParallel(len(records), runtime.GOMAXPROCS(0), func(i int) { states[i] = ProcessState(records[i]) })
	return states
}

func abridged(text string) string {
	const longest = 80
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}
