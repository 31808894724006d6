package bindings

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/engine/scenario"
	"murlua/lifecycle/formation"
	"murlua/lifecycle/home"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/member"
	"murlua/lifecycle/ports"
)

// World is what the modules of one host may touch of the world outside. The zero value of a field means: there is
// none.
type World struct {
	Environ    []string // the environment, which members inherit
	Workdir    string   // the working directory
	Executable string   // this program, which starts Lua capsules
	MurBinary  string   // the program that starts murmur's capsules
	Folder     string   // the script's folder: members' scripts are looked for there

	Log LogOptions // where the script's log lines go

	// Only and Except choose members of each formation, as [formation.Plan.Select] does. With ShowPlan, a launch shows
	// its plan and ends the script instead.
	Only, Except []string
	ShowPlan     func(PlanView)

	// Stdout and Stderr become the entry's. Relay gets what peers print, Warn what is worth a warning.
	Stdout, Stderr *os.File
	Relay          io.Writer
	Warn           func(text string)
	// OnEvent gets the events of every formation, one after the other for each of them.
	OnEvent func(formation.Event)
	// OnSweep is called when a sweep has found its items, and, with acts, right before one of them is touched.
	OnSweep func(acts bool)
	// Prompt says what those find at their prompt who attach to the script. Nil: nobody can.
	Prompt Prompt
	// Script is what a look from outside calls the script.
	Script string

	admission admission

	// Keeper starts processes; it stays the maker's to close. Nil: the world has one of its own when it needs it, and
	// the program's main has to call [keeper.Main].
	Keeper *keeper.Keeper

	mu         sync.Mutex
	callees    func(ctx context.Context, name string) (member.Callee, error) // of the capsule; nil: the script is none
	kept       keeping
	formations []*launched // launched by the script and not known to have ended
	lastCode   *int
	ports      ports.Book // handed out; given back with the process

	readyNative *lua.LTable // what stdlib/ready.lua was given
}

// Modules is the table of all modules of mur that are written in Go.
func (w *World) Modules() []engine.Module {
	return []engine.Module{
		w.formationModule(),
		w.capsuleModule(),
		w.runningModule(),
		w.testModule(scenario.Module()),
		w.doorModule(),
		jsonModule(),
		w.logModule(),
		w.fsModule(),
		w.envModule(),
		timeModule(),
		w.httpModule(),
		w.handleModule(),
		w.processModule(),
		w.readyModule(),
		w.sweepModule(),
		retryModule(),
		w.portModule(),
	}
}

// getenv returns the value of a variable, "" when it is not set.
func (w *World) getenv(name string) string {
	value := ""
	for _, entry := range w.Environ {
		if key, v, ok := strings.Cut(entry, "="); ok && key == name {
			value = v
		}
	}
	return value
}

// home resolves the home directory, which is looked for only when something needs it.
func (w *World) home() (home.Home, error) { return home.Resolve(w.getenv("HOME")) }

// LastCode is the exit code of the formation that ended last, if one did.
func (w *World) LastCode() (code int, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lastCode == nil {
		return 0, false
	}
	return *w.lastCode, true
}

// Formations lists the formations that the script launched and that have not ended.
func (w *World) Formations() []string {
	var ids []string
	for _, r := range w.left() {
		select {
		case <-r.up:
		default:
			ids = append(ids, "a formation that is starting")
			continue
		}
		if r.formation == nil {
			continue
		}
		select {
		case <-r.formation.Ended():
		default:
			ids = append(ids, string(r.formation.ID()))
		}
	}
	return ids
}

// stopAll asks for the end of the running formations. It returns at once.
func (w *World) stopAll(why error) {
	for _, r := range w.left() {
		r.stop(why)
	}
}

// Hurry kills what the running formations still have: the grace is over. It returns at once.
func (w *World) Hurry() {
	for _, r := range w.left() {
		r.hurry()
	}
}

func (w *World) left() []*launched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*launched(nil), w.formations...)
}
