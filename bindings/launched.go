package bindings

import (
	"context"
	"errors"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
	"murlua/lifecycle/formation"
)

// launched is a formation that a script launched.
type launched struct {
	world *World
	host  *engine.Host
	task  *engine.Task // that launched it: a failing callback ends it

	cancel    context.CancelCauseFunc // ends the launch
	cut       context.CancelFunc      // ends the graces
	up        chan struct{}           // closed when the launch has succeeded or failed
	launchErr error
	formation *formation.Formation // set when up is closed, unless it failed

	events *callbacks
	live   *liveView
	admit  func() // lets others attach, once
}

func newLaunched(w *World, c *engine.Call, onEvent *lua.LFunction) *launched {
	r := &launched{world: w, host: c.Host(), task: c.Task(), up: make(chan struct{})}
	r.events = newCallbacks(c.Host(), onEvent, func(err error) { r.task.Stop(&callbackError{err}) })
	return r
}

func (r *launched) start(plan formation.Plan, options formation.Options) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	options.Hurried, r.cut = context.WithCancel(context.Background())
	r.live = newLiveView(string(options.ID), r.world.Script, plan)
	r.admit = sync.OnceFunc(func() { r.world.admit(r.host) })
	r.world.mu.Lock()
	r.world.formations = append(r.world.formations, r)
	r.world.mu.Unlock()
	r.world.expectGuests(r.host)
	task := r.task
	r.host.OnClose(func(ctx context.Context) error {
		r.stop(context.Cause(task.Context()))
		return r.waitEnded(ctx)
	})
	go func() { // waited for by waitEnded
		defer close(r.up)
		admitting := time.AfterFunc(admitAfter, r.admit)
		defer func() {
			if !admitting.Stop() {
				r.admit() // has begun, or has been done
			}
		}()
		r.formation, r.launchErr = formation.Launch(ctx, plan, options)
		if _, hasEntry := plan.Entry(); r.launchErr == nil && hasEntry {
			_, r.launchErr = r.formation.StartEntry(ctx)
		}
		if r.launchErr != nil {
			r.forget()
		}
	}()
}

// admitAfter is how long a launch has before others can attach. One that is faster is ready then: making place for them
// does not hold up its members.
const admitAfter = 20 * time.Millisecond

// event hands an event of the formation to the display and to the script.
func (r *launched) event(e formation.Event) {
	if e.Kind == formation.Ready && e.Member == "" {
		r.admit() // before anybody is told
	}
	if r.world.OnEvent != nil {
		r.world.OnEvent(e)
	}
	r.live.add(e)
	r.world.tellGuests(func() string { return "-- " + EventText(e) })
	if r.events.fn != nil {
		r.events.add(EventFields(e))
	}
}

// stop asks for the end; a launch that is under way is abandoned.
func (r *launched) stop(why error) {
	if why == nil {
		why = errors.New("its script ended")
	}
	r.cancel(why)
	select {
	case <-r.up:
		if r.launchErr == nil {
			r.formation.Stop(why)
		}
	default:
	}
}

func (r *launched) hurry() {
	r.stop(nil)
	r.cut()
}

// waitEnded waits until nothing of the formation is left.
func (r *launched) waitEnded(ctx context.Context) error {
	select {
	case <-r.up:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if r.launchErr != nil {
		return nil
	}
	r.formation.Stop(context.Cause(ctx)) // asked for already, unless it came up just now
	_, err := r.ending(ctx, nil)
	return err
}

// ending waits for the end and notes its code.
func (r *launched) ending(ctx context.Context, task *engine.Task) (formation.Ending, error) {
	ending, err := r.formation.Wait(ctx)
	if err != nil {
		return ending, err
	}
	code := ending.Code()
	r.world.mu.Lock()
	r.world.lastCode = &code
	r.world.mu.Unlock()
	r.forget()
	return ending, r.events.drain(ctx, task)
}

func (r *launched) forget() {
	r.cut() // nothing has one any more
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	for i, other := range r.world.formations {
		if other == r {
			r.world.formations = append(r.world.formations[:i], r.world.formations[i+1:]...)
			return
		}
	}
}
