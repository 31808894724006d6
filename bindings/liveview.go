package bindings

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"murlua/lifecycle/formation"
)

// FormationView is how it stands with a formation, as `murlua show` prints it.
type FormationView struct {
	Formation string       `json:"formation"`
	Name      string       `json:"name,omitempty"`
	State     string       `json:"state"` // launching, running, stopping, failed, ended; unknown to all but its recipe
	Script    string       `json:"script,omitempty"`
	PID       int          `json:"pid"` // of the process that holds it
	Started   time.Time    `json:"started_at"`
	Members   []MemberView `json:"members"`
	Events    []string     `json:"events"` // the newest, the last one last
}

// StateEnded is the state of a formation of which nothing runs any more.
const StateEnded = "ended"

// MemberView is how it stands with a member.
type MemberView struct {
	Name        string    `json:"name"`
	State       string    `json:"state"` // waiting, or the kind of its latest event
	Since       time.Time `json:"since"`
	PID         int       `json:"pid,omitempty"`
	Session     string    `json:"session_id,omitempty"`
	URL         string    `json:"url,omitempty"`
	Workdir     string    `json:"workdir,omitempty"`
	Containment string    `json:"containment,omitempty"`
	Starts      int       `json:"starts"`
	Entry       bool      `json:"entry,omitempty"`
	Detail      string    `json:"detail,omitempty"` // what is missing, why it failed, how it ended
}

// maxViewEvents is how many events a view has.
const maxViewEvents = 30

// liveView follows the events of a formation. It is safe for concurrent use.
type liveView struct {
	mu      sync.Mutex
	current FormationView
	index   map[string]int
	events  []formation.Event // the newest, as text only when somebody looks
}

func newLiveView(id, script string, plan formation.Plan) *liveView {
	l := &liveView{index: map[string]int{}}
	l.current = FormationView{Formation: id, Name: plan.Name, State: "launching", Script: script, PID: os.Getpid(), Started: time.Now().UTC(), Members: []MemberView{}}
	for i, m := range plan.Members {
		l.index[m.Name] = i
		l.current.Members = append(l.current.Members, MemberView{Name: m.Name, State: "waiting", Since: l.current.Started, Entry: m.Entry})
	}
	return l
}

func (l *liveView) add(e formation.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == maxViewEvents {
		l.events = slices.Delete(l.events, 0, 1)
	}
	l.events = append(l.events, e)
	if e.Member == "" {
		switch e.Kind {
		case formation.Ready:
			l.current.State = "running"
		case formation.Stopping:
			l.current.State = "stopping"
		case formation.Failed:
			l.current.State = "failed"
		case formation.Ended:
			l.current.State = StateEnded
		}
		return
	}
	i, known := l.index[e.Member]
	if !known {
		return
	}
	m := &l.current.Members[i]
	m.State, m.Since, m.Detail = string(e.Kind), e.Time.UTC(), e.Detail
	switch e.Kind {
	case formation.Spawned:
		m.PID, m.Workdir, m.Containment = e.PID, e.Workdir, e.Containment
		m.Session, m.URL = "", ""
		m.Starts++
	case formation.Reported:
		m.Session, m.URL = e.Session, e.URL
	case formation.EntryStarted:
		m.PID = e.PID
		m.Starts++
	case formation.Exited, formation.Reaped:
		m.PID, m.Detail = 0, e.Status.String()
	}
	if e.Reason != nil {
		m.Detail = e.Reason.String()
	}
}

func (l *liveView) view() FormationView {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.current
	v.Members = append([]MemberView{}, v.Members...)
	v.Events = make([]string, len(l.events))
	for i, e := range l.events {
		v.Events[i] = EventText(e)
	}
	return v
}

// EventText is an event of a formation in one line, or a few.
func EventText(e formation.Event) string {
	text := string(e.Kind)
	if e.Member != "" {
		text = e.Member + ": " + text
	}
	if e.PID != 0 {
		text += fmt.Sprintf(" (pid %d)", e.PID)
	}
	switch {
	case e.Reason != nil:
		text += ": " + e.Reason.String()
	case e.Kind == formation.Exited || e.Kind == formation.Reaped:
		text += ": " + e.Status.String()
	case e.Detail != "":
		text += ": " + e.Detail
	}
	return strings.ReplaceAll(text, "\n", "\n  ")
}
