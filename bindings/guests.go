package bindings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"murlua/engine"
	"murlua/engine/repl"
	"murlua/lifecycle/attach"
	"murlua/lifecycle/home"
)

// Prompt makes what a prompt at a host has besides the host itself. What its functions show goes to out.
type Prompt func(out io.Writer) (functions map[string]engine.Function, names repl.Names)

// guests lets other processes of this user into a running host, each with a conversation of its own.
type guests struct {
	options  guestOptions
	listener *attach.Listener
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	inside map[*repl.Guest]struct{}
}

type guestOptions struct {
	host   *engine.Host
	home   home.Home
	prompt Prompt
	// values are the variables that guests find, by name, when they begin.
	values func() map[string]any
	// state says how it stands with something; it must not need the host's lock.
	state func(what string) (any, error)
	// readFile reads what a guest loads.
	readFile func(path string) (string, error)
}

// letIn opens this process's socket. The host's end closes it.
func letIn(o guestOptions) (*guests, error) {
	listener, err := attach.Listen(o.home)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &guests{options: o, listener: listener, cancel: cancel, inside: map[*repl.Guest]struct{}{}}
	g.running.Go(func() { g.accept(ctx) })
	return g, nil
}

func (g *guests) accept(ctx context.Context) {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return // closed; anything else is for good too
		}
		guest := repl.Welcome(conn, repl.GuestOptions{Open: g.open, State: g.options.state})
		g.mu.Lock()
		g.inside[guest] = struct{}{}
		g.mu.Unlock()
		g.running.Go(func() {
			_ = guest.Serve(ctx) // what a guest does wrong is nobody else's concern
			g.mu.Lock()
			delete(g.inside, guest)
			g.mu.Unlock()
		})
	}
}

func (g *guests) open(ctx context.Context, out, errs io.Writer) (*repl.Console, error) {
	functions, names := g.options.prompt(out)
	session, err := repl.New(ctx, repl.Options{Host: g.options.host, Out: out, Functions: functions, Values: g.options.values(), Names: names})
	if err != nil {
		return nil, err
	}
	return &repl.Console{Session: session, Out: out, Err: errs, ReadFile: g.options.readFile}, nil
}

// note tells every guest that something happened.
func (g *guests) note(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for guest := range g.inside {
		guest.Note(text)
	}
}

// shut closes the way in and shows everybody out. It does not wait for them: one of them may be who asks for it.
func (g *guests) shut() error {
	err := g.listener.Close()
	g.cancel()
	return err
}

// letIntoCapsule opens the way into a capsule's script. That it cannot be opened is no reason for the capsule to fail.
func letIntoCapsule(o CapsuleOptions, host *engine.Host, of *capsule) {
	g, err := letIn(guestOptions{
		host: host, home: o.Member.Home, prompt: o.Prompt,
		values: func() map[string]any { return map[string]any{"capsule": capsuleType.Box(of)} },
		state:  func(string) (any, error) { return nil, errors.New("this is a capsule, and holds no formation") },
		readFile: func(path string) (string, error) {
			text, err := os.ReadFile(path)
			return string(text), err
		},
	})
	if err != nil {
		return
	}
	host.OnClose(func(context.Context) error {
		err := g.shut()
		g.running.Wait()
		return err
	})
}

// admission is whether a world lets guests in, and what does.
type admission struct {
	mu      sync.Mutex
	refused bool
	guests  *guests
	hooked  bool // the host shows them out when it closes
}

// expectGuests has the host show out, when it closes, whoever is admitted later. What is to be closed before that is told
// the host afterwards.
func (w *World) expectGuests(host *engine.Host) {
	w.admission.mu.Lock()
	defer w.admission.mu.Unlock()
	if w.Prompt == nil || w.admission.hooked {
		return
	}
	w.admission.hooked = true
	host.OnClose(func(context.Context) error {
		w.admission.mu.Lock()
		w.admission.hooked = false
		g := w.admission.guests
		w.admission.mu.Unlock()
		if g == nil {
			return nil
		}
		err := w.shutOut(g)
		g.running.Wait()
		return err
	})
}

// admit opens the way in, if this world has a prompt and nobody refuses it. That it cannot be opened is worth a warning
// and nothing more.
func (w *World) admit(host *engine.Host) {
	w.admission.mu.Lock()
	defer w.admission.mu.Unlock()
	if w.Prompt == nil || w.admission.refused || w.admission.guests != nil {
		return
	}
	h, err := w.home()
	if err == nil {
		w.admission.guests, err = letIn(guestOptions{
			host: host, home: h, prompt: w.Prompt, values: w.guestValues, state: w.liveState,
			readFile: func(path string) (string, error) {
				text, err := os.ReadFile(w.path(path))
				return string(text), err
			},
		})
	}
	if err != nil && !errors.Is(err, attach.ErrUnsupported) && w.Warn != nil {
		w.Warn(fmt.Sprintf("murlua attach will not work here: %v", err))
	}
}

// shutOut shows everybody out, once.
func (w *World) shutOut(g *guests) error {
	w.admission.mu.Lock()
	is := w.admission.guests == g
	if is {
		w.admission.guests = nil
	}
	w.admission.mu.Unlock()
	if !is {
		return nil
	}
	return g.shut()
}

// refuseGuests shows everybody out for good: the recipe wants nobody inside.
func (w *World) refuseGuests() {
	w.admission.mu.Lock()
	w.admission.refused = true
	g := w.admission.guests
	w.admission.mu.Unlock()
	if g != nil {
		_ = w.shutOut(g)
	}
}

// tellGuests notes something for everybody inside; text is only asked for when somebody is.
func (w *World) tellGuests(text func() string) {
	w.admission.mu.Lock()
	g := w.admission.guests
	w.admission.mu.Unlock()
	if g != nil {
		g.note(text())
	}
}

// guestValues are what a guest finds: the formations that run, and the newest of them.
func (w *World) guestValues() map[string]any {
	list := []any{}
	values := map[string]any{}
	for _, r := range w.left() {
		if isClosed(r.up) && r.formation != nil {
			list = append(list, formationType.Box(r))
			values["formation"] = formationType.Box(r)
		}
	}
	values["formations"] = list
	return values
}

// liveState says how it stands with a formation of this recipe, or with all of them.
func (w *World) liveState(what string) (any, error) {
	views := []FormationView{}
	for _, r := range w.left() {
		views = append(views, r.live.view())
	}
	if what == "" {
		return views, nil
	}
	i := slices.IndexFunc(views, func(v FormationView) bool { return v.Formation == what })
	if i < 0 {
		return nil, fmt.Errorf("formation %s has ended", what)
	}
	return views[i], nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
